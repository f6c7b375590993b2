import { spawn, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { local } from '../contract/operations/index.ts'
import type { Credentials, ServiceReady } from '../contract/service-process.ts'
import { signedCall, signedForm } from '../e2e/signed-call.ts'
import { ensureBuilt } from '../scripts/launch-build.ts'
import { startBenchCluster } from './cluster-nodes.ts'
import { freePort, jsonLines, pause, portOpen, processFigures, stopChild, temporaryFolder } from './measurement.ts'

/** A room of a server: where its listeners connect, in turn, and where its messages are put in. */
export interface ServedRoom {
  readonly listen: readonly string[]
  readonly publish: string
  /** Number of a room of ours; 0 elsewhere. */
  readonly roomid: number
}
/** CPU in s and memory in MB so far. */
interface RoomFigures {
  readonly cpu: number
  readonly memory: number
  /** CPU of the database, which is not part of `cpu`. */
  readonly database?: number
}
/** A server of rooms in a process of its own, or in several. */
export interface RoomServer {
  figures(): RoomFigures
  readonly rooms: readonly ServedRoom[]
  readonly appKey: string
  readonly appSecret: string
  /** Copies of messages that were received so far. */
  copies(): number
  stop(): Promise<void>
}
/** Which server. */
export type RoomServerKind = 'ours' | 'cluster' | 'bare' | 'nchan'
/** Services of a cluster. */
const clusterNodes = 3

const root = join(import.meta.dirname, '..')
const nchanModule = ['/usr/lib/nginx/modules/ngx_nchan_module.so', '/usr/lib64/nginx/modules/ngx_nchan_module.so'].find(
  (path) => existsSync(path),
)
const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index)
const strangers = { appKey: '', appSecret: '', copies: () => 0 } as const

/** Counts copies of messages. */
async function openReceiver() {
  let copies = 0
  const receiver = createServer((request, response) => {
    request.resume().on('end', () => {
      copies++
      response.end('{}')
    })
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  const { port } = receiver.address() as { port: number }
  return {
    url: `http://127.0.0.1:${port}/`,
    copies: () => copies,
    close(): void {
      receiver.close()
      receiver.closeAllConnections()
    },
  }
}

/** Makes accounts `u0`, `u1` …, who listen, `speaker`, who speaks, and the rooms, at the first service of all. */
async function makeRooms(
  all: readonly ServiceReady[],
  credentials: Credentials,
  rooms: number,
  listeners: number,
): Promise<ServedRoom[]> {
  const { baseUrl, imBaseUrl } = all[0]!
  const call = async (
    path: string,
    fields: Readonly<Record<string, string>>,
  ): Promise<Readonly<Record<string, unknown>>> => {
    const answer = await signedForm(imBaseUrl, credentials, path, fields)
    if (answer.code !== 200) throw new Error(`${path}: ${JSON.stringify(answer)}`)
    return answer
  }
  const { code } = await signedCall(baseUrl, credentials, local.updateSettings.path, { roomsPerCreator: rooms })
  if (code !== 200) throw new Error(`the settings were not taken: ${code}`)
  const names = ['speaker', ...numbers(rooms * listeners).map((index) => `u${index}`)]
  for (let from = 0; from < names.length; from += 50)
    await Promise.all(
      names.slice(from, from + 50).map((accid) => call('/user/create.action', { accid, token: 'bench', name: accid })),
    )
  const made: ServedRoom[] = []
  for (const index of numbers(rooms)) {
    const { chatroom } = await call('/chatroom/create.action', { creator: 'speaker', name: `room ${index}` })
    const { roomid } = chatroom as { roomid: number }
    const listen = all.map(({ linkUrl }) => linkUrl)
    made.push({ listen, publish: `${imBaseUrl}/chatroom/sendMsg.action`, roomid })
  }
  return made
}

/** Our service as `npm run service` starts it, with its history and with copies to a receiver in this process. */
async function startOurs(rooms: number, listeners: number, flags: readonly string[]): Promise<RoomServer> {
  const receiver = await openReceiver()
  const folder = temporaryFolder()
  const credentials = { appKey: 'bench', appSecret: randomBytes(16).toString('hex') }
  await ensureBuilt(root, ['main'], () => undefined)
  const ports = ['--api-port', '0', '--media-port', '0', '--rtmp-port', '0']
  const data = ['--data', folder.path, ...ports, '--copy-url', receiver.url]
  const args = ['--max-semi-space-size=2', ...flags, 'out/main/service-alone.js', ...data]
  const child = spawn(process.execPath, args, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, SIDESTAGE_APP_KEY: credentials.appKey, SIDESTAGE_APP_SECRET: credentials.appSecret },
  })
  for await (const line of jsonLines(child)) {
    if (line['event'] !== 'ready') continue
    return {
      figures: () => processFigures(child.pid!),
      rooms: await makeRooms([line as unknown as ServiceReady], credentials, rooms, listeners),
      ...credentials,
      copies: receiver.copies,
      async stop() {
        await stopChild(child)
        receiver.close()
        folder.remove()
      },
    }
  }
  throw new Error('our service did not start')
}

/**
 * The same with listeners spread over three services; lines are put in at one of them. CPU and memory are those of the
 * services and of Redis.
 */
async function startCluster(rooms: number, listeners: number, flags: readonly string[]): Promise<RoomServer> {
  const receiver = await openReceiver()
  const cluster = await startBenchCluster({
    nodes: clusterNodes,
    flags,
    switches: ['--copy-url', receiver.url],
  })
  const ready = cluster.nodes.map((node) => node.ready)
  return {
    figures() {
      const { nodes, redis, postgres } = cluster.cpu()
      const memory = cluster.nodes.reduce((sum, { pid }) => sum + processFigures(pid).memory, 0)
      return { cpu: nodes + redis, memory, database: postgres }
    },
    rooms: await makeRooms(ready, cluster.credentials, rooms, listeners),
    ...cluster.credentials,
    copies: receiver.copies,
    async stop() {
      await cluster.close()
      receiver.close()
    },
  }
}

async function startBare(rooms: number): Promise<RoomServer> {
  const child = spawn(process.execPath, ['--max-semi-space-size=2', join(import.meta.dirname, 'link-bare.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  for await (const line of jsonLines(child)) {
    if (line['event'] !== 'ready') continue
    const listen = (index: number): string => `${String(line['url'])}/${index}`
    return {
      ...strangers,
      figures: () => processFigures(child.pid!),
      rooms: numbers(rooms).map((index) => ({ listen: [listen(index)], publish: listen(index), roomid: 0 })),
      stop: () => stopChild(child),
    }
  }
  throw new Error('the bare broadcast did not start')
}

/** nginx with nchan in one process, a channel for each room; undefined where it is not installed. */
async function startNchan(rooms: number): Promise<RoomServer | undefined> {
  if (!nchanModule || !existsSync('/usr/sbin/nginx')) return undefined
  const folder = temporaryFolder()
  const port = await freePort()
  const locations = [
    'location /listen { nchan_subscriber websocket; nchan_channel_id $arg_id; nchan_subscriber_first_message newest; }',
    'location /publish { nchan_publisher http; nchan_channel_id $arg_id; nchan_message_buffer_length 1; }',
  ]
  const lines = [
    `load_module ${nchanModule};`,
    `pid ${folder.path}/pid;`,
    'error_log /dev/null;',
    'daemon off;',
    'master_process off;',
    'worker_rlimit_nofile 16384;',
    'events { worker_connections 8192; }',
    `http { access_log off; client_body_temp_path ${folder.path}; server { listen 127.0.0.1:${port}; keepalive_requests 1000000; ${locations.join(' ')} } }`,
  ]
  writeFileSync(join(folder.path, 'nginx.conf'), `${lines.join('\n')}\n`)
  const child: ChildProcess = spawn('/usr/sbin/nginx', ['-p', folder.path, '-c', join(folder.path, 'nginx.conf')], {
    stdio: 'ignore',
  })
  await portOpen(port)
  const host = `127.0.0.1:${port}`
  return {
    ...strangers,
    figures: () => processFigures(child.pid!),
    rooms: numbers(rooms).map((index) => ({
      listen: [`ws://${host}/listen?id=${index}`],
      publish: `http://${host}/publish?id=${index}`,
      roomid: 0,
    })),
    async stop() {
      await stopChild(child)
      folder.remove()
    },
  }
}

/** Starts a server with so many rooms of so many listeners each; undefined for a peer that is not installed. `flags` go to the Node of ours. */
export async function startRoomServer(
  kind: RoomServerKind,
  rooms: number,
  listeners: number,
  flags: readonly string[],
): Promise<RoomServer | undefined> {
  const start = { ours: startOurs, cluster: startCluster } as const
  const server = await (kind === 'ours' || kind === 'cluster'
    ? start[kind](rooms, listeners, flags)
    : kind === 'bare'
      ? startBare(rooms)
      : startNchan(rooms))
  // What the preparation left in the memory is collected before it counts.
  await pause(1000)
  return server
}
