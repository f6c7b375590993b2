import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ServiceReady } from '../../contract/service-process.ts'
import { startServiceProcess } from './service-process.ts'
import { signedClient, type SignedClient } from './signed-client.ts'

/** A service process that a test kills and restarts over the same data. */
export interface KilledService {
  readonly dataDir: string
  readonly credentials: { readonly appKey: string; readonly appSecret: string }
  /** Starts it on free ports. */
  start(): Promise<{ readonly ready: ServiceReady; readonly client: SignedClient }>
  /** SIGKILL; resolves at exit. */
  kill(): Promise<void>
  /** Kills it and removes its data. */
  remove(): Promise<void>
}

/** Makes its directory; `start` starts it. */
export function killedService(): KilledService {
  const credentials = { appKey: 'kill-key', appSecret: 'kill-secret' }
  const dataDir = mkdtempSync(join(tmpdir(), 'sidestage-kill-'))
  let running: ReturnType<typeof startServiceProcess> | undefined
  const kill = async (): Promise<void> => {
    running?.child.kill('SIGKILL')
    await running?.exited
  }
  return {
    dataDir,
    credentials,
    async start() {
      running = startServiceProcess(['--data', dataDir, '--api-port', '0', '--media-port', '0', '--rtmp-port', '0'], {
        SIDESTAGE_APP_KEY: credentials.appKey,
        SIDESTAGE_APP_SECRET: credentials.appSecret,
      })
      const ready = await running.ready
      return { ready, client: signedClient(ready.baseUrl, credentials) }
    },
    kill,
    async remove() {
      await kill()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
