SELECT version, complete FROM told
