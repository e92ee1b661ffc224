SELECT count(*) FROM gatepost_key k JOIN gatepost_owner o ON o.owner = k.owner AND NOT o.gone WHERE k.owner = $1
