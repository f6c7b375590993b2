import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { startBrowserMain } from '../../browser/main.ts'
import { reasonOf } from '../../companion/failure.ts'
import { readLaunchOptions, serviceChoices } from '../../companion/instance/launch-options.ts'
import { nodeLauncher } from '../../companion/supervisor/launcher.ts'

/** The companion and its service from their sources, for `npm run dev`: the page comes from Vite, so nothing is built. Tells its address to the process that started it. */
const root = path.join(import.meta.dirname, '..', '..')
const options = readLaunchOptions(process.argv.slice(2))
const say = (line: string): void => void process.stderr.write(`sidestage: ${line}\n`)

/** What the shell would serve; nobody asks it for the page here. */
const pageDir = mkdtempSync(path.join(os.tmpdir(), 'sidestage-dev-'))
writeFileSync(path.join(pageDir, 'index.html'), '<!doctype html>')
writeFileSync(path.join(pageDir, 'csp.json'), '{"styles":[]}')
process.on('exit', () => rmSync(pageDir, { recursive: true, force: true }))
const watchDir = path.join(root, 'out', 'watch')
mkdirSync(options.dataDir, { recursive: true })

const main = await startBrowserMain({
  dataDir: options.dataDir,
  port: options.port,
  version: (JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { version: string }).version,
  log: say,
  shellReason: () => null,
  choices: { ...serviceChoices(options), ...(existsSync(watchDir) && { watchDir }) },
  named: options.named,
  launch: nodeLauncher(path.join(root, 'service', 'child.ts')),
  pageDir,
})
const close = (): void => {
  main
    .close()
    .catch((error: unknown) => say(reasonOf(error)))
    .finally(() => process.exit(0))
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, close)
// Whoever started it is gone.
process.on('disconnect', close)
process.send?.({ address: main.address() })
