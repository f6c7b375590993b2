import { expect, it } from 'vitest'
import { page } from 'vitest/browser'
import type { AppEvent } from '../../../contract/rpc/events.ts'
import type { Language } from '../../format/languages.ts'
import { makeTarget } from '../../testing/fake-targets.ts'
import { channel, mounted } from '../../testing/mounted.ts'
import TargetsCard from './targets-card.vue'

const one = channel(1, { status: 1 })
const limits = { type: 'limits', profileId: 'local', at: 0 } as AppEvent

async function show(board: { needs: number; budget: number; waiting: number }, language: Language = 'en') {
  return mounted(TargetsCard, {
    props: { profileId: 'local', cid: one.cid, live: true, kbps: 1_000 },
    channels: [one],
    language,
    answers: { 'targets.list': () => ({ ...board, targets: [makeTarget(1, { state: 'sending', kbps: 1_000 })] }) },
  })
}

it('the warning of the upload follows the limit as it is changed', async () => {
  const board = { needs: 1_000, budget: 500, waiting: 0 }
  const { tell } = await show(board)
  const over = page.getByText(/^Targets need 1\.0 Mbps and the upload limit is/)
  await expect.element(over).toMatchTextContent('the upload limit is 0.5 Mbps')
  board.budget = 0
  await tell(limits)
  await expect.element(over).not.toBeInTheDocument()
  board.budget = 300
  await tell(limits)
  await expect.element(over).toMatchTextContent('the upload limit is 0.3 Mbps')
})

it.each<[Language, string, string]>([
  ['en', 'stop one, or lower the bitrate. 1 viewer waits.', 'stop one, or lower the bitrate. 2 viewers wait.'],
  ['zh', '请停止一个目标或降低码率。1 位观众在等待。', '请停止一个目标或降低码率。2 位观众在等待。'],
])('the warning of the upload says how many viewers wait (%s)', async (language, single, several) => {
  const board = { needs: 1_000, budget: 500, waiting: 0 }
  const { tell } = await show(board, language)
  const warning = page.getByRole('status').filter({ hasText: '0.5 Mbps' })
  await expect.element(warning).toBeVisible()
  expect(warning.element().textContent).not.toMatch(/wait|等待/)
  board.waiting = 1
  await tell(limits)
  await expect.element(warning).toMatchTextContent(single)
  board.waiting = 2
  await tell(limits)
  await expect.element(warning).toMatchTextContent(several)
})
