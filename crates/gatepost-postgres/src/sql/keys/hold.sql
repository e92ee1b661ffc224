-- $1: an owner, to whom no other transaction can add keys until the commit.
SELECT FROM :schema.gatepost_owner WHERE owner = $1 FOR NO KEY UPDATE
