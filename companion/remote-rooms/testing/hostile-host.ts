import type http from 'node:http'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'
import { readFingerprint } from '../../../contract/invitation.ts'
import { makeCertificate, readCertificate } from '../../moderators/certificate.ts'
import type { Place } from '../pinned-socket.ts'

/** A computer that holds the key of the right certificate and behaves as a test wants. */
export interface HostileHost {
  readonly place: Place
  /** Requests that came, with what they carried. */
  readonly asked: {
    readonly method: string
    readonly path: string
    readonly headers: http.IncomingHttpHeaders
    readonly body: string
  }[]
  /** What is answered; a usual host when it is not set. */
  answer: ((request: http.IncomingMessage, response: http.ServerResponse) => boolean) | undefined
  /** What is done with a line; it answers as a usual host does when it is not set. */
  line: ((socket: WebSocket) => void) | undefined
  close(): Promise<void>
}

/** Its session and the seat that it tells of. */
export const hostSession = 'sidestage_1=' + 's'.repeat(43)

/** Starts it at a free port of 127.0.0.1. */
export async function startHostileHost(): Promise<HostileHost> {
  const certificate = await makeCertificate([], Date.now())
  const fingerprint = readFingerprint(readCertificate(certificate, Date.now()).fingerprint) ?? null
  const asked: HostileHost['asked'] = []
  const server = https.createServer({ ...certificate })
  const sockets = new WebSocketServer({ noServer: true })
  const usual = (request: http.IncomingMessage, response: http.ServerResponse): void => {
    const isIn = request.headers.cookie === hostSession
    if (request.url !== '/session') response.writeHead(404).end()
    else if (request.method === 'POST')
      response.writeHead(204, { 'set-cookie': `${hostSession}; Path=/; HttpOnly; SameSite=Strict; Secure` }).end()
    else response.writeHead(isIn ? 204 : 401, { 'sidestage-door': 'account' }).end()
  }
  server.on('request', (request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (text: string) => (body += text))
    request.on('end', () => {
      asked.push({ method: request.method ?? '', path: request.url ?? '', headers: request.headers, body })
      if (host.answer?.(request, response) !== true) usual(request, response)
    })
  })
  server.on('upgrade', (request, socket, head) => {
    sockets.handleUpgrade(request, socket, head, (opened) => {
      opened.on('error', () => undefined)
      if (host.line) return host.line(opened)
      return opened.on('message', (data: Buffer) => {
        const { i, p } = JSON.parse(data.toString()) as { i: string; p: { u: string } }
        const seat = { profileId: 'local', roomid: 7, cid: null, accid: 'mei', name: 'Mei\u202E\u0000' }
        const json =
          p.u === '/app/about' ? { seat } : { rooms: [{ roomid: 7, name: `  Late\u200B night ${'x'.repeat(500)}` }] }
        opened.send(JSON.stringify({ i, p: { b: { json } } }))
      })
    })
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const host: HostileHost = {
    place: { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, secured: true, fingerprint },
    asked,
    answer: undefined,
    line: undefined,
    close: async () => {
      for (const socket of sockets.clients) socket.terminate()
      server.closeAllConnections()
      await new Promise((resolve) => {
        server.close(resolve)
      })
    },
  }
  return host
}
