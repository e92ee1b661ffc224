-- Whether an active node other than $1 still acts on a generation before $2.
SELECT EXISTS (
    SELECT FROM :schema.gatepost_node WHERE id <> $1 AND acknowledged < $2 AND lease_until > clock_timestamp()) AS lagging
