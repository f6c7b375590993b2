import http from 'node:http'
import type { AddressInfo } from 'node:net'

/** A service without the extension operations, before one that has them. */
export interface StockProxy {
  /** Its live base URL. */
  readonly url: string
  /** Whether extension operations are passed on after all. */
  extend(passes: boolean): void
  close(): Promise<void>
}

/** Passes calls on to a service, and answers extension operations as a stock service does. */
export async function startStockProxy(baseUrl: string): Promise<StockProxy> {
  const { host } = new URL(baseUrl)
  let passes = false
  const streams = new Set<http.IncomingMessage>()
  const server = http.createServer((request, response) => {
    if (!passes && request.url?.startsWith('/local/') === true) {
      request.resume()
      response.writeHead(404, { 'content-type': 'application/json' }).end('{"code":404,"msg":"not found"}')
      return
    }
    const { method, headers, url = '/' } = request
    const onward = http.request(new URL(url, baseUrl), { method, headers: { ...headers, host } }, (answer) => {
      streams.add(answer)
      answer.on('close', () => streams.delete(answer))
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    onward.on('error', () => response.destroy())
    response.on('close', () => onward.destroy())
    request.pipe(onward)
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    extend: (next) => {
      passes = next
      if (!next) for (const stream of streams) stream.destroy()
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
