import net from 'node:net'

/** Tries a port. `refused`: not permitted. */
export const tryPort = (host: string, port: number): Promise<'free' | 'taken' | 'refused'> =>
  new Promise((resolve) => {
    const server = net.createServer()
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'EADDRINUSE' ? 'taken' : 'refused'))
    server.listen({ host, port, exclusive: true }, () => {
      server.close(() => resolve('free'))
    })
  })
