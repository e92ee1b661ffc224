DELETE FROM gatepost_of_task WHERE task = ?1 AND delivery = ?2
