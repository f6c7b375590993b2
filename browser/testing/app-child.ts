import path from 'node:path'
import { sessionVault } from '../../companion/secrets/session-vault.ts'
import { nodeLauncher } from '../../companion/supervisor/launcher.ts'
import { serviceEntry } from '../../companion/testing/rig.ts'
import { startBrowserMain } from '../main.ts'

/** The browser shell with its companion and service in a process of its own: `node app-child.ts DIR PAGE` says the ready line of its service with the `page`'s address. */
const [dataDir, pageDir] = process.argv.slice(2) as [string, string]
const free = { host: '127.0.0.1', port: 0 }
const app = await startBrowserMain({
  dataDir,
  choices: { dataDir: path.join(dataDir, 'service'), api: free, media: free, rtmp: free },
  launch: nodeLauncher(serviceEntry),
  pageDir,
  port: 0,
  version: '0.0.0',
  shellReason: () => null,
  log: () => undefined,
  vault: sessionVault({ kind: 'session', reason: 'chosen', detail: 'test' }),
})
process.stdout.write(`${JSON.stringify({ ...app.service, page: app.address() })}\n`)
process.once('SIGTERM', () => {
  app.close().then(
    () => process.exit(0),
    () => process.exit(1),
  )
})
