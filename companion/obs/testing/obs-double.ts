import { createHash } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'

/** What a test may bend of the double; everything is read anew for each message. */
export interface ObsFaults {
  /** Says nothing at all, or nothing to a request of this name. */
  mute?: boolean | string
  /** Sent in place of the greeting or of the answer to the named request. */
  raw?: { readonly to: string; readonly text: string | Buffer }
  /** RequestStatus code and comment for a request. */
  reject?: { readonly to: string; readonly code: number; readonly comment: string }
  /** Members put over the answer to the named request. */
  answer?: { readonly to: string; readonly data: Record<string, unknown> }
  /** The stream ends while it begins, as when the server cannot be reached. */
  failStart?: boolean
  /** Neither starts nor fails. */
  hangStart?: boolean
  /** Takes the request and goes on. */
  hangStop?: boolean
  version?: string
}

/** An obs-websocket server that tests bend: protocol 5 with log-in, the requests that are used, and the events of the stream. */
export interface ObsDouble {
  readonly port: number
  readonly faults: ObsFaults
  /** Requests as they came, oldest first. */
  readonly requests: { readonly type: string; readonly data: unknown }[]
  /** Connections that came, and those that are open. */
  readonly met: { came: number; open: number }
  service: { type: string; settings: Record<string, unknown> }
  stream: { active: boolean; bytes: number }
  /** Sends something to whoever is connected. */
  send(text: string): void
  /** Sends the event of a state of the stream, without the stream changing. */
  tells(outputState: string): void
  /** Starts or ends the stream as by a click in OBS. */
  streamIs(active: boolean): void
  close(): Promise<void>
}

const hash = (text: string): string => createHash('sha256').update(text).digest('base64')
const greetingOf = (password: string | undefined, challenge: string, salt: string) => ({
  op: 0,
  d: {
    obsWebSocketVersion: '5.1.0',
    rpcVersion: 1,
    ...(password === undefined ? {} : { authentication: { challenge, salt } }),
  },
})

/** Starts one on loopback. */
export async function startObsDouble({
  port = 0,
  password,
}: { port?: number; password?: string } = {}): Promise<ObsDouble> {
  const server = new WebSocketServer({ host: '127.0.0.1', port, handleProtocols: () => 'obswebsocket.json' })
  await new Promise((resolve, reject) => {
    server.once('listening', resolve)
    server.once('error', reject)
  })
  const faults: ObsFaults = {}
  const event = (outputState: string): string =>
    JSON.stringify({
      op: 5,
      d: {
        eventType: 'StreamStateChanged',
        eventIntent: 64,
        eventData: { outputActive: double.stream.active, outputState },
      },
    })
  const act = (type: string, data: Record<string, unknown>): Record<string, unknown> | undefined => {
    switch (type) {
      case 'GetVersion':
        return {
          obsVersion: faults.version ?? '29.0.2+dfsg',
          obsWebSocketVersion: '5.1.0',
          rpcVersion: 1,
          availableRequests: [],
          platform: 'linux',
        }
      case 'GetStreamStatus':
        return {
          outputActive: double.stream.active,
          outputReconnecting: false,
          outputCongestion: 0.25,
          outputBytes: double.stream.bytes,
          outputSkippedFrames: 3,
          outputTotalFrames: 300,
        }
      case 'GetStats':
        return { cpuUsage: 12.5, activeFps: 29.97, renderSkippedFrames: 2, outputSkippedFrames: 1 }
      case 'GetStreamServiceSettings':
        return { streamServiceType: double.service.type, streamServiceSettings: double.service.settings }
      case 'SetStreamServiceSettings':
        double.service = {
          type: data['streamServiceType'] as string,
          settings: data['streamServiceSettings'] as Record<string, unknown>,
        }
        return {}
      case 'StartStream':
        double.send(event('OBS_WEBSOCKET_OUTPUT_STARTING'))
        if (faults.hangStart) return {}
        double.stream.active = !faults.failStart
        double.send(event(faults.failStart ? 'OBS_WEBSOCKET_OUTPUT_STOPPED' : 'OBS_WEBSOCKET_OUTPUT_STARTED'))
        return {}
      case 'StopStream':
        if (!faults.hangStop) double.streamIs(false)
        return {}
      default:
        return undefined
    }
  }
  const take = (socket: WebSocket, text: string, challenge: string, salt: string): void => {
    const { op, d } = JSON.parse(text) as { op: number; d: Record<string, unknown> }
    if (op === 1) {
      if (password !== undefined && d['authentication'] !== hash(hash(password + salt) + challenge))
        socket.close(4009, 'Authentication failed.')
      else socket.send(JSON.stringify({ op: 2, d: { negotiatedRpcVersion: 1 } }))
      return
    }
    const {
      requestType: type,
      requestId,
      requestData,
    } = d as { requestType: string; requestId: string; requestData?: Record<string, unknown> }
    double.requests.push({ type, data: requestData })
    if (faults.mute === type) return
    if (faults.raw?.to === type) return socket.send(faults.raw.text)
    const refused = faults.reject?.to === type ? faults.reject : undefined
    const data = refused ? undefined : act(type, requestData ?? {})
    const bent = data && faults.answer?.to === type ? { ...data, ...faults.answer.data } : data
    const status = data
      ? { result: true, code: 100 }
      : { result: false, code: refused?.code ?? 204, comment: refused?.comment ?? 'unknown' }
    socket.send(
      JSON.stringify({ op: 7, d: { requestId, requestType: type, requestStatus: status, responseData: bent } }),
    )
  }
  const double: ObsDouble = {
    port: (server.address() as AddressInfo).port,
    faults,
    requests: [],
    met: { came: 0, open: 0 },
    service: { type: 'rtmp_common', settings: { service: 'Elsewhere', key: 'a-key-of-another-service' } },
    stream: { active: false, bytes: 0 },
    send: (text) => {
      for (const socket of server.clients) socket.send(text)
    },
    tells: (outputState) => {
      double.send(event(outputState))
    },
    streamIs: (active) => {
      double.stream.active = active
      double.send(event(active ? 'OBS_WEBSOCKET_OUTPUT_STARTED' : 'OBS_WEBSOCKET_OUTPUT_STOPPED'))
    },
    close: async () => {
      for (const socket of server.clients) socket.terminate()
      await new Promise((resolve) => {
        server.close(resolve)
      })
    },
  }
  let turn = 0
  server.on('connection', (socket) => {
    const [challenge, salt] = [hash(`challenge ${turn++}`), hash(`salt ${turn}`)]
    double.met.came++
    double.met.open++
    socket.on('close', () => {
      double.met.open--
    })
    socket.on('error', () => undefined)
    socket.on('message', (data) => {
      take(socket, (data as Buffer).toString('utf8'), challenge, salt)
    })
    if (faults.mute === true) return
    socket.send(faults.raw?.to === 'Hello' ? faults.raw.text : JSON.stringify(greetingOf(password, challenge, salt)))
  })
  return double
}
