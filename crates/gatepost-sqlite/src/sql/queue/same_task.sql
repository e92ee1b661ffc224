SELECT 1 FROM gatepost_live_task WHERE id = ?1 AND revision = ?2 AND held = 0 AND moved = 0
