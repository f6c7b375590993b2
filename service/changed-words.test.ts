import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Operation } from '../contract/operation.ts'
import { accounts, local, recordings } from '../contract/operations/index.ts'
import { reasonHeader } from '../contract/catalogue/refusal-reasons.ts'
import { pathPrefix } from './http/dispatch.ts'
import { until } from './testing/condition.ts'
import { formOf } from './testing/signed-client.ts'
import { startService, type TestService } from './testing/start-service.ts'
import { leaveDelivery } from './testing/beside.ts'

// With other texts of the service, readers of codes see no difference.
const words = 'words of tomorrow'
vi.mock('./outbox/reason-words.ts', async (original) => ({
  ...(await original<object>()),
  wordsOf: () => 'words of tomorrow',
}))

let service: TestService
beforeEach(async () => {
  service = await startService()
})
afterEach(() => service.close())

const refusalOf = async (operation: Operation, args: object, headers = service.sign()) => {
  const form = operation.encoding === 'form'
  const type = form ? 'application/x-www-form-urlencoded;charset=utf-8' : 'application/json'
  const answer = await service.raw(pathPrefix(operation) + operation.path, {
    headers: Object.entries({ ...headers, 'content-type': type }),
    body: form ? formOf(args) : JSON.stringify(args),
  })
  return { reason: answer.headers[reasonHeader], body: JSON.parse(answer.text) as { code: number; msg?: string } }
}

it('leaves what a delivery came to as it was', async () => {
  const { uid } = (await service.call(local.info, {})).ret!
  // Nothing listens there.
  const url = 'http://127.0.0.1:9/'
  await service.call(recordings.setCallback, { recordClk: url })
  const body = JSON.stringify({ nId: 'n', vid: '1', orig_video_key: 'c_1_2_1-00000.mp4' })
  await leaveDelivery(service.dataDir, { nId: 'n', uid, url, target: url, body, result: null })
  expect((await service.call(local.resend, { nId: 'n' })).code).toBe(200)
  const result = await until('the attempt', async () => (await service.call(local.deliveries, {})).ret!.list[0]?.result)
  expect(result).toEqual({ code: 'refused', params: {} })
  const refused = await refusalOf(local.setCopyTarget, { url })
  expect([refused.reason, refused.body.msg?.endsWith(words)]).toEqual(['other', true])
})

it('names why it refused a call, whatever it says', async () => {
  const wrong = { ...service.sign(), CheckSum: '0'.repeat(40) }
  expect((await refusalOf(accounts.getUinfos, { accids: ['ghost'] }, wrong)).reason).toBe('signature')
  expect((await refusalOf(accounts.getUinfos, { accids: ['ghost'] }, service.sign(-4000))).reason).toBe('clock')
  expect((await refusalOf(accounts.block, { accid: 'ghost' })).reason).toBe('missing')
  await service.call(accounts.create, { accid: 'mei' })
  expect((await refusalOf(accounts.create, { accid: 'mei' })).reason).toBe('present')
  expect((await refusalOf(accounts.create, { accid: '' })).reason).toBe('other')
})
