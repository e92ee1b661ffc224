     , set_config('gatepost.sent', ((SELECT count(*) FROM done) = cardinality($2))::text, true)
