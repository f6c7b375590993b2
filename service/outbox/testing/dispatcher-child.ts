import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { systemClock } from '../../../platform/clock.ts'
import { createRedisBus } from '../../bus/redis-bus.ts'
import { silentLog } from '../../log.ts'
import { openStore } from '../../storage/testing/open-store.ts'
import { createAddressGuard } from '../address-guard.ts'
import { createOutbox } from '../outbox.ts'
import { systemResolve } from '../system-resolve.ts'

/**
 * A process to be killed: `node dispatcher-child.ts NODE DATABASE REDIS` sends what is in the outbox as one of several,
 * and tells its name with each message.
 */
const [node, database, redis] = process.argv.slice(2) as [string, string, string]
const store = await openStore(database)
const bus = await createRedisBus({ url: redis, prefix: database }, { clock: systemClock, log: silentLog })
const outbox = await createOutbox({
  store,
  guard: createAddressGuard({ resolve: systemResolve, ownPorts: () => [], ownAddresses: () => [] }),
  kinds: { copy: { resendAfter: [1000, 1000, 1000], headers: () => Promise.resolve({ 'x-node': node }) } },
  localAllowed: () => Promise.resolve(true),
  clock: systemClock,
  random: (bytes) => randomBytes(bytes),
  log: silentLog,
  shared: { node, bus },
})
outbox.start()
process.stdout.write('ready\n')
await once(process, 'SIGTERM')
await outbox.close()
await bus.close()
await store.close()
