import { spawn, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { signedCall } from '../e2e/signed-call.ts'
import { ensureBuilt } from '../scripts/launch-build.ts'
import { freePort, jsonLines, portOpen, stopChild, streamFixture, temporaryFolder } from './measurement.ts'

/** A live server in a process of its own, ready to be pushed to. */
export interface LiveServer {
  readonly pid: number
  /** Empty for one that plays the stream from its file. */
  readonly pushUrl: string
  readonly flvUrl: string | undefined
  readonly hlsUrl: string | undefined
  readonly rtmpUrl: string
  stop(): Promise<void>
}

const root = join(import.meta.dirname, '..')
const nginxModule = ['/usr/lib/nginx/modules/ngx_rtmp_module.so', '/usr/lib64/nginx/modules/ngx_rtmp_module.so'].find(
  (path) => existsSync(path),
)
const nodeMediaServer = join(root, 'node_modules/node-media-server/bin/app.js')

function started(child: ChildProcess, urls: Omit<LiveServer, 'pid' | 'stop'>, remove: () => void): LiveServer {
  return {
    ...urls,
    pid: child.pid!,
    async stop() {
      await stopChild(child)
      remove()
    },
  }
}

/**
 * The service of this project as `npm run service` starts it, with one channel and its targets. `flags` go to Node,
 * `more` to the service.
 */
export async function startOurs(
  flags: readonly string[] = [],
  targets: readonly string[] = [],
  more: readonly string[] = [],
): Promise<LiveServer> {
  const folder = temporaryFolder()
  const credentials = { appKey: 'bench', appSecret: randomBytes(16).toString('hex') }
  await ensureBuilt(root, ['main'], () => undefined)
  const args = [
    '--max-semi-space-size=2',
    'out/main/service-alone.js',
    '--data',
    folder.path,
    '--api-port',
    '0',
    '--media-port',
    '0',
    '--rtmp-port',
    '0',
    ...more,
  ]
  const child = spawn(process.execPath, [...flags, ...args], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: {
      NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/sidestage-compiled'),
      ...process.env,
      SIDESTAGE_APP_KEY: credentials.appKey,
      SIDESTAGE_APP_SECRET: credentials.appSecret,
    },
  })
  for await (const line of jsonLines(child)) {
    if (line['event'] !== 'ready') continue
    const { ret } = await signedCall(String(line['baseUrl']), credentials, '/app/channel/create', {
      name: 'bench',
      type: 0,
    })
    const { cid, pushUrl, httpPullUrl, hlsPullUrl, rtmpPullUrl } = ret as Record<
      'cid' | 'pushUrl' | 'httpPullUrl' | 'hlsPullUrl' | 'rtmpPullUrl',
      string
    >
    for (const target of targets) {
      const at = target.lastIndexOf('/')
      const [url, key] = [target.slice(0, at), target.slice(at + 1)]
      await signedCall(String(line['baseUrl']), credentials, '/local/target/add', { cid, name: key, url, key })
    }
    return started(child, { pushUrl, flvUrl: httpPullUrl, hlsUrl: hlsPullUrl, rtmpUrl: rtmpPullUrl }, folder.remove)
  }
  throw new Error('our service did not start')
}

/** node-media-server as its own command line starts it, without its extras. */
export async function startNodeMediaServer(): Promise<LiveServer> {
  const folder = temporaryFolder()
  const [rtmp, http] = [await freePort(), await freePort()]
  const config = {
    bind: '127.0.0.1',
    auth: { play: false, publish: false, secret: 'x' },
    rtmp: { port: rtmp },
    http: { port: http },
    store: { path: folder.path },
  }
  writeFileSync(join(folder.path, 'config.json'), JSON.stringify(config))
  const child = spawn(process.execPath, [nodeMediaServer, '-c', join(folder.path, 'config.json'), '--no-admin'], {
    cwd: folder.path,
    stdio: 'ignore',
  })
  await portOpen(rtmp)
  await portOpen(http)
  const rtmpUrl = `rtmp://127.0.0.1:${rtmp}/live/bench`
  return started(
    child,
    { pushUrl: rtmpUrl, rtmpUrl, flvUrl: `http://127.0.0.1:${http}/live/bench.flv`, hlsUrl: undefined },
    folder.remove,
  )
}

/** The limit of the runtime: a Node process that writes the same bytes to sockets and does nothing else. */
export async function startBare(protocol: 'flv' | 'rtmp'): Promise<LiveServer> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'fanout-bare.ts'), protocol, streamFixture()], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  for await (const { event, port } of jsonLines(child)) {
    if (event !== 'ready') continue
    const address = `127.0.0.1:${Number(port)}/live/bench`
    const [flvUrl, rtmpUrl] = [`http://${address}`, `rtmp://${address}`]
    return started(child, { pushUrl: '', flvUrl, rtmpUrl, hlsUrl: undefined }, () => undefined)
  }
  throw new Error('the bare server did not start')
}

/** nginx with its RTMP module in one process, which pushes to `targets`; undefined where it is not installed. */
export async function startNginx(targets: readonly string[] = []): Promise<LiveServer | undefined> {
  if (!nginxModule || !existsSync('/usr/sbin/nginx')) return undefined
  const folder = temporaryFolder()
  const port = await freePort()
  const lines = [
    `load_module ${nginxModule};`,
    `pid ${folder.path}/pid;`,
    'error_log /dev/null;',
    'daemon off;',
    'master_process off;',
    'events { worker_connections 1024; }',
    `rtmp { access_log off; server { listen 127.0.0.1:${port}; chunk_size 4096; application live { live on; ${targets.map((target) => `push ${target};`).join(' ')} } } }`,
  ]
  writeFileSync(join(folder.path, 'nginx.conf'), `${lines.join('\n')}\n`)
  const child = spawn('/usr/sbin/nginx', ['-p', folder.path, '-c', join(folder.path, 'nginx.conf')], {
    stdio: 'ignore',
  })
  await portOpen(port)
  const rtmpUrl = `rtmp://127.0.0.1:${port}/live/bench`
  return started(child, { pushUrl: rtmpUrl, rtmpUrl, flvUrl: undefined, hlsUrl: undefined }, folder.remove)
}
