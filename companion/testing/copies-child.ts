import { randomBytes } from 'node:crypto'
import type { Client } from '../client/client.ts'
import { systemClock } from '../../platform/clock.ts'
import { createCopyReceivers } from '../receivers/copy-receivers.ts'
import { openHostedRooms } from '../rooms/hosted-rooms.ts'

/** A process with a receiver of copies whose lines of room 7 are kept, to be killed: `node copies-child.ts DIR` says its address. */
const dataDir = process.argv[2] ?? '.'
const rooms = openHostedRooms({
  dataDir,
  clock: systemClock,
  known: (profileId) => [{ profileId, roomid: 7, name: 'seven', creator: 'host' }],
  read: () => Promise.reject(new Error('not asked')),
  receiver: () => ({ phase: 'listening', url: null }),
  changed: () => undefined,
  pushed: () => undefined,
})
const copies = createCopyReceivers({
  dataDir,
  clock: systemClock,
  random: randomBytes,
  client: () => Promise.resolve({} as Client),
  isExtended: () => false,
  profiles: {
    find: () => ({ kind: 'hosted' }),
    all: () => [{ id: 'hosted' }],
    on: () => () => undefined,
    service: () => Promise.reject(new Error('no secret')),
  },
  log: () => undefined,
})
copies.on({ arrived: rooms.copied })
process.stdout.write(`${(await copies.start({ profileId: 'hosted', host: '127.0.0.1', port: 0 })).url ?? ''}\n`)
