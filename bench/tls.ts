import { spawn, type ChildProcess } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { selfSigned } from '../service/reach/testing/certificates.ts'
import { startOurs } from './fanout-servers.ts'
import {
  freePort,
  jsonLines,
  median,
  pause,
  portOpen,
  processFamily,
  processFigures,
  startPublisher,
  stopChild,
  streamFixture,
  temporaryFolder,
} from './measurement.ts'

/**
 * CPU seconds for each gigabyte of one 3.7 Mbit/s stream that goes to many HTTP-FLV players over TLS: of the service
 * with its own TLS, and of nginx alone as the TLS proxy of the same service. Medians of alternating runs.
 * `node bench/tls.ts [--seconds 10] [--players 200] [--runs 3]`
 */
const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '10' },
    players: { type: 'string', default: '200' },
    runs: { type: 'string', default: '3' },
  },
})
/** CPU seconds for each gigabyte, and part of what nginx takes; either is enough. */
const reach = { cpuPerGb: 0.75, ratio: 1.3 }

const folder = temporaryFolder()
const files = { cert: join(folder.path, 'chain.pem'), key: join(folder.path, 'key.pem') }
const made = await selfSigned(['127.0.0.1', 'localhost'])
writeFileSync(files.cert, made.cert)
writeFileSync(files.key, made.key, { mode: 0o600 })

/** nginx in one process in front of the plain listener, with reads as large as whole TLS records and more. */
async function startProxy(target: string): Promise<{ readonly child: ChildProcess; readonly port: number }> {
  const port = await freePort()
  const lines = [
    `pid ${folder.path}/pid;`,
    'error_log /dev/null;',
    'daemon off;',
    'master_process off;',
    'events { worker_connections 2048; }',
    'http { access_log off; server {',
    `listen 127.0.0.1:${port} ssl; ssl_certificate ${files.cert}; ssl_certificate_key ${files.key};`,
    'ssl_protocols TLSv1.2 TLSv1.3;',
    `location / { proxy_pass ${target}; proxy_http_version 1.1; proxy_buffering off; proxy_buffer_size 64k; proxy_buffers 8 64k; proxy_busy_buffers_size 128k; }`,
    '} }',
  ]
  writeFileSync(join(folder.path, 'nginx.conf'), `${lines.join('\n')}\n`)
  const child = spawn('/usr/sbin/nginx', ['-p', folder.path, '-c', join(folder.path, 'nginx.conf')], {
    stdio: 'ignore',
  })
  await portOpen(port)
  return { child, port }
}

async function measure(by: 'ours' | 'nginx'): Promise<{ cpuPerGb: number; withService: number; lost: number }> {
  const https = await freePort()
  const more = ['--tls-cert', files.cert, '--tls-key', files.key, '--https-port', String(https)]
  const server = await startOurs([], [], more)
  const publisher = startPublisher(streamFixture(), server.pushUrl)
  const flv = new URL(server.flvUrl ?? '')
  let proxy: Awaited<ReturnType<typeof startProxy>> | undefined
  const cpu = (pid: number): number => processFamily(pid).reduce((sum, each) => sum + processFigures(each).cpu, 0)
  const all = (): { own: number; both: number } => {
    const ours = cpu(server.pid)
    const theirs = proxy?.child.pid === undefined ? 0 : cpu(proxy.child.pid)
    return { own: by === 'ours' ? ours : theirs, both: ours + theirs }
  }
  try {
    await pause(2500)
    // With the port of TLS the address that is told is that one; nginx reaches the plain listener.
    if (by === 'nginx') proxy = await startProxy(`http://127.0.0.1:${await plainPort(server.pid, https)}`)
    const url = `https://127.0.0.1:${proxy?.port ?? https}${flv.pathname}`
    const load = spawn(
      process.execPath,
      [join(import.meta.dirname, 'tls-players.ts'), url, values.players, '4', values.seconds],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    )
    try {
      let before = all()
      for await (const line of jsonLines(load)) {
        if (line['event'] === 'measuring') before = all()
        if (line['event'] !== 'done') continue
        const after = all()
        const gigabytes = Number(line['bytes']) / 1e9
        return {
          cpuPerGb: (after.own - before.own) / gigabytes,
          withService: (after.both - before.both) / gigabytes,
          lost: Number(line['lost']),
        }
      }
      throw new Error('the players ended without a result')
    } finally {
      await stopChild(load)
    }
  } finally {
    await stopChild(publisher, 'SIGKILL')
    if (proxy) await stopChild(proxy.child)
    await server.stop()
  }
}

/** The plain media listener of a service: the one of its ports that answers the watch page over HTTP. */
async function plainPort(pid: number, https: number): Promise<number> {
  const { execFileSync } = await import('node:child_process')
  const table = execFileSync('ss', ['-Hltnp'], { encoding: 'utf8' })
  const ports = [...table.matchAll(/127\.0\.0\.1:(\d+)\s.*pid=(\d+)/g)].flatMap(([, port, owner]) =>
    Number(owner) === pid && Number(port) !== https ? [Number(port)] : [],
  )
  for (const port of ports) {
    const answer = await fetch(`http://127.0.0.1:${port}/watch/none/state`, {
      signal: AbortSignal.timeout(1000),
    }).catch(() => undefined)
    if (answer?.status === 404 && (await answer.text()).includes('channel')) return port
  }
  throw new Error('the plain media listener was not found')
}

const taken: Record<'ours' | 'nginx', Awaited<ReturnType<typeof measure>>[]> = { ours: [], nginx: [] }
for (let run = 0; run < Number(values.runs); run++)
  for (const by of ['ours', 'nginx'] as const) {
    const figures = await measure(by)
    taken[by].push(figures)
    console.error(`run ${run + 1}, ${by}: ${JSON.stringify(figures)}`)
  }
folder.remove()
const ours = median(taken.ours.map(({ cpuPerGb }) => cpuPerGb))
const nginx = median(taken.nginx.map(({ cpuPerGb }) => cpuPerGb))
const nginxWithService = median(taken.nginx.map(({ withService }) => withService))
const ratio = ours / nginx
const reached = ours <= reach.cpuPerGb || ratio <= reach.ratio
console.log(
  JSON.stringify({
    bench: 'tls',
    players: Number(values.players),
    ours,
    nginx,
    nginxWithService,
    ratio,
    reach,
    reached,
  }),
)
