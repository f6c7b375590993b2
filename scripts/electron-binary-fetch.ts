import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import net from 'node:net'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { spawnSync } from 'node:child_process'
import { ReasonedError, reasonIn, reasonOf } from '../contract/catalogue/reasons.ts'
import type { Download } from '../contract/rpc/index.ts'
import { isDiskFull } from '../platform/full-disk.ts'

/** Fetches the Electron binary in a process of its own, which reports its progress and may be killed. */

interface GetModule {
  readonly downloadArtifact: (this: void, details: object) => Promise<string>
}

/** Comes with the package `electron` and is found from there. */
const downloader = '@electron/get'
const connectPatience = 5_000
const folder = path.join(path.dirname(path.dirname(fileURLToPath(import.meta.url))), 'node_modules', 'electron')
const tell = (
  phase: Download['phase'],
  received = 0,
  total: number | null = null,
  reason: Download['reason'] = null,
): void => {
  process.send?.({ phase, received, total, reason } satisfies Download)
}

const reachable = (host: string, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = net.connect(port, host)
    const timer = setTimeout(() => {
      socket.destroy(new ReasonedError('download', reasonOf('download', 'silent', { host })))
    }, connectPatience)
    const over = (error?: Error): void => {
      clearTimeout(timer)
      socket.destroy()
      if (error) reject(error)
      else resolve()
    }
    socket.once('connect', () => over())
    socket.once('error', over)
  })

async function main(): Promise<void> {
  tell('connecting')
  const { HTTPS_PROXY, https_proxy, ELECTRON_MIRROR, npm_config_electron_mirror } = process.env
  if (!HTTPS_PROXY && !https_proxy) {
    const source = new URL(ELECTRON_MIRROR ?? npm_config_electron_mirror ?? 'https://github.com')
    await reachable(source.hostname, Number(source.port) || (source.protocol === 'http:' ? 80 : 443))
  }
  const require = createRequire(path.join(folder, 'package.json'))
  const { downloadArtifact } = (await import(pathToFileURL(require.resolve(downloader)).href)) as GetModule
  const { version } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as { version: string }
  let told = 0
  // The archive goes into the usual cache, checked against the sums that the package carries.
  await downloadArtifact({
    version,
    artifactName: 'electron',
    platform: process.platform,
    arch: process.arch,
    checksums: require('./checksums.json') as unknown,
    downloadOptions: {
      quiet: true,
      getProgressCallback: (progress: { transferred: number; total: number | null }) => {
        if (Date.now() - told > 250) {
          told = Date.now()
          tell('downloading', progress.transferred, progress.total)
        }
        return Promise.resolve()
      },
    },
  })
  const unpacked = spawnSync(process.execPath, [path.join(folder, 'install.js')], { stdio: ['ignore', 2, 2] })
  if (unpacked.status !== 0) throw new ReasonedError('download', reasonOf('download', 'notUnpacked'))
  tell('done')
}

process.once('disconnect', () => process.exit(1))
main().then(
  () => process.exit(0),
  (error: unknown) => {
    const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : ''
    const system = `${error instanceof Error ? error.message : String(error)}${cause}`
    tell(
      'failed',
      0,
      null,
      reasonIn('download', error) ??
        (isDiskFull(error) ? reasonOf('download', 'full') : reasonOf('download', 'failed', { system })),
    )
    process.exit(1)
  },
)
