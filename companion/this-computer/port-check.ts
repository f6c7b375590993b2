import net from 'node:net'

/** Whether a listener could have a port: asked by having it for a moment. `refused`: the system does not give it to us. */
export const tryPort = (host: string, port: number): Promise<'free' | 'taken' | 'refused'> =>
  new Promise((resolve) => {
    const server = net.createServer()
    server.once('error', (error: NodeJS.ErrnoException) => {
      resolve(error.code === 'EADDRINUSE' ? 'taken' : 'refused')
    })
    server.listen({ host, port, exclusive: true }, () => {
      server.close(() => {
        resolve('free')
      })
    })
  })
