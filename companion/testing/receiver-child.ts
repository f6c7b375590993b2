import { randomBytes } from 'node:crypto'
import type { Client } from '../client/client.ts'
import { systemClock } from '../../platform/clock.ts'
import { createReceivers } from '../receivers/receivers.ts'
import { sessionVault } from '../secrets/session-vault.ts'

/** A process with a receiver, to be killed: `node receiver-child.ts DIR` says its address. */
const receivers = createReceivers({
  dataDir: process.argv[2] ?? '.',
  vault: sessionVault({ kind: 'session', reason: 'chosen', detail: 'test' }),
  clock: systemClock,
  random: randomBytes,
  client: () =>
    Promise.resolve({ call: () => Promise.resolve({ ret: { signKey: 'child key' } }) } as unknown as Client),
  isExtended: () => true,
  profiles: {
    find: () => ({ kind: 'local', liveUrl: 'http://127.0.0.1:1' }),
    all: () => [{ id: 'local' }],
    on: () => () => undefined,
  },
  post: () => undefined,
  log: () => undefined,
})
process.stdout.write(`${(await receivers.start({ profileId: 'local', host: '127.0.0.1', port: 0 })).url ?? ''}\n`)
