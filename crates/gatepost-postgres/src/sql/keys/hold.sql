-- $1: an owner, whose keys nobody else adds to meanwhile.
SELECT FROM :schema.gatepost_owner WHERE owner = $1 FOR NO KEY UPDATE
