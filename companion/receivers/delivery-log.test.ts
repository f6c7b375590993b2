import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { reasonOf } from '../../contract/catalogue/reasons.ts'
import { scratch } from '../testing/rig.ts'
import { openDeliveryLog } from './delivery-log.ts'

it('keeps what an earlier version wrote of a callback that is wrong, in its words', () => {
  using folder = scratch()
  const file = path.join(folder.dir, 'deliveries.db')
  const words = 'the signature is not right: another key, or the message was changed'
  openDeliveryLog(file).close()
  const database = new DatabaseSync(file)
  database
    .prepare(
      `insert into delivery (profileId, at, verdict, stale, test, remote, why, fields, sign, body)
       values ('local', 1, 'forged', 0, null, '127.0.0.1', ?, '{}', '', '')`,
    )
    .run(words)
  database.close()
  const log = openDeliveryLog(file)
  log.keep({
    profileId: 'local',
    at: 2,
    verdict: 'forged',
    test: null,
    from: '127.0.0.1',
    why: reasonOf('callback', 'signature'),
    fields: {},
    stale: () => false,
    sign: '',
    body: '',
  })
  expect(log.list('local', 10).map(({ why }) => why)).toEqual([
    { code: 'signature', params: {} },
    { code: 'unknown', params: { text: words } },
  ])
  log.close()
})
