-- Of settlements that found no running row: those that were stored before under the same token.
SELECT ARRAY(
    SELECT g.ord FROM unnest($1::bigint[], $2::bigint[]) WITH ORDINALITY AS g (delivery, token, ord)
    JOIN gatepost_delivery d ON d.id = g.delivery AND d.settled = g.token
    JOIN gatepost_webhook w ON w.id = d.webhook AND NOT w.gone JOIN gatepost_owner o ON o.owner = d.owner AND NOT o.gone) AS done
