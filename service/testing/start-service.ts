import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { silentLog } from '../log.ts'
import { createService } from '../root.ts'
import type { Service, ServiceOptions } from '../service.ts'
import { testDatabase } from '../storage/testing/open-store.ts'
import { readEvents, type EventReader } from './event-reader.ts'
import { signedClient, type SignedClient } from './signed-client.ts'

/** Credentials for tests. */
export const testCredentials = { appKey: 'test-key', appSecret: 'test-secret' } as const
/** Credentials of a second application. */
export const otherCredentials = { appKey: 'other-key', appSecret: 'other-secret' } as const

/** A service in this process, with its own directory, on free ports. */
export interface TestService extends SignedClient {
  readonly service: Service
  readonly dataDir: string
  /** Signs as the second application. */
  readonly other: SignedClient
  events(args?: { readonly after?: number }): Promise<EventReader>
  /** Closes the service and keeps its data, for another start with the same `dataDir`. */
  stop(): Promise<void>
  /** Closes the service and removes its data. */
  close(): Promise<void>
}

/** Starts a service with two applications; options replace the defaults. */
export async function startService(options: Partial<ServiceOptions> = {}): Promise<TestService> {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'sidestage-test-'))
  const anyPort = { host: '127.0.0.1', port: 0 }
  const service = await createService({
    api: anyPort,
    media: anyPort,
    rtmp: anyPort,
    credentials: testCredentials,
    applications: [{ name: 'other', credentials: otherCredentials }],
    log: silentLog,
    timeZone: 'UTC',
    database: await testDatabase(dataDir),
    ...options,
    dataDir,
  })
  const client = signedClient(service.own.baseUrl, options.credentials ?? testCredentials, options.clock)
  return {
    ...client,
    service,
    dataDir,
    other: signedClient(service.own.baseUrl, otherCredentials, options.clock),
    events: (args) => readEvents(service.own.baseUrl, client.sign(), args),
    stop: () => service.close(),
    async close() {
      await service.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
