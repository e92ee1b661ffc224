SELECT count(*) FROM :schema.gatepost_key k JOIN :schema.gatepost_owner o ON o.owner = k.owner AND NOT o.gone WHERE k.owner = $1
