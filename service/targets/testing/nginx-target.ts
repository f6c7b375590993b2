import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync, mkdirSync, chmodSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { generate } from 'selfsigned'
import { until } from '../../testing/condition.ts'
import { temporaryFolder } from '../../hub/testing/fixture.ts'

const modules = '/usr/lib/nginx/modules'

/** Debian's nginx as a server that targets publish to, over RTMP and, through its stream module, over RTMPS. */
export interface NginxTarget {
  readonly rtmpUrl: string
  readonly rtmpsUrl: string
  /** The authority that vouches for its certificate, in PEM. */
  readonly ca: string
  /** What was recorded of a stream: bytes of an FLV file; undefined before. */
  recorded(name: string): Buffer | undefined
  /** How often a stream was published. */
  publishes(name: string): number
  /** Its process stands still; the system goes on to take bytes for it. */
  pause(): void
  resume(): void
  stop(): Promise<void>
}

/** A free port of this computer. */
export const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer().once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })

/** Starts it; it records what it gets, and refuses streams named `refused`. */
export async function startNginxTarget(): Promise<NginxTarget> {
  const folder = temporaryFolder()
  const [port, secure, told] = [await freePort(), await freePort(), await freePort()]
  const published: (string | null)[] = []
  const hooks = createHttpServer((request, response) => {
    let body = ''
    request.on('data', (bytes: Buffer) => (body += bytes.toString()))
    request.on('end', () => {
      published.push(new URLSearchParams(body).get('name'))
      response.end()
    })
  }).listen(told, '127.0.0.1')
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] }],
  })
  const record = join(folder.path, 'rec')
  mkdirSync(record)
  writeFileSync(join(folder.path, 'cert.pem'), cert)
  writeFileSync(join(folder.path, 'key.pem'), key)
  for (const path of [folder.path, record]) chmodSync(path, 0o777)
  const lines = [
    ...['ngx_rtmp_module.so', 'ngx_stream_module.so'].map((name) => `load_module ${modules}/${name};`),
    `pid ${folder.path}/pid;`,
    'error_log /dev/null;',
    'daemon off;',
    'master_process off;',
    'events { worker_connections 256; }',
    'rtmp { access_log off; server {',
    `  listen 127.0.0.1:${port};`,
    `  application live { live on; record all; record_path ${record}; record_suffix .flv;`,
    `    on_publish http://127.0.0.1:${told}/; }`,
    '} }',
    'stream { server {',
    `  listen 127.0.0.1:${secure} ssl;`,
    `  ssl_certificate ${folder.path}/cert.pem;`,
    `  ssl_certificate_key ${folder.path}/key.pem;`,
    `  proxy_pass 127.0.0.1:${port};`,
    '} }',
  ]
  writeFileSync(join(folder.path, 'nginx.conf'), `${lines.join('\n')}\n`)
  const child = spawn('/usr/sbin/nginx', ['-p', folder.path, '-c', join(folder.path, 'nginx.conf')], {
    stdio: 'ignore',
  })
  await until('nginx runs', () => existsSync(join(folder.path, 'pid')) || child.exitCode !== null)
  if (child.exitCode !== null) throw new Error('nginx did not start')
  return {
    rtmpUrl: `rtmp://127.0.0.1:${port}/live`,
    rtmpsUrl: `rtmps://localhost:${secure}/live`,
    ca: cert,
    recorded(name) {
      const file = readdirSync(record).find((each) => each.startsWith(name))
      return file === undefined ? undefined : readFileSync(join(record, file))
    },
    publishes: (name) => published.filter((each) => each === name).length,
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    async stop() {
      hooks.close()
      const exited = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGKILL')
      await exited
      folder.remove()
    },
  }
}
