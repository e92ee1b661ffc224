
SELECT * FROM claimable
