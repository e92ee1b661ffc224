-- ?1: owner. ?2: how many stay.
DELETE FROM gatepost_session WHERE digest IN (
    SELECT digest FROM gatepost_session WHERE owner = ?1 ORDER BY opened DESC LIMIT -1 OFFSET ?2
)
