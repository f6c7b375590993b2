import { describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import type { AppEvent } from '../../../contract/rpc/events.ts'
import type { SeatBoard } from '../../../contract/rpc/index.ts'
import { makeExtendedProfiles } from '../../testing/fake-state.ts'
import { mounted, withParts } from '../../testing/mounted.ts'
import FrameNotes from './frame-notes.vue'
import UnwrittenState from './unwritten-state.vue'
import { spoken } from '../../format/languages.ts'
import { reasonWords } from './words-reason.ts'
import { frameWords } from './words.ts'

const reasonEn = spoken(reasonWords, 'en')
const reasonZh = spoken(reasonWords, 'zh')
const en = spoken(frameWords, 'en')
const zh = spoken(frameWords, 'zh')

type Unwritten = NonNullable<SeatBoard['unwritten']>
const board = (unwritten: Unwritten | null): AppEvent => ({
  type: 'seats',
  board: {
    listener: {
      phase: 'off',
      open: false,
      port: 0,
      urls: [],
      reason: null,
      certificate: 'none',
      fingerprint: null,
      certificateUntil: null,
      failures: 0,
    },
    seats: [],
    unwritten,
  },
})
const unwritten = (change: Partial<Unwritten> = {}): Unwritten => ({
  names: ['Mei', 'Lee'],
  lasting: false,
  reason: { code: 'full', params: {} },
  ...change,
})
const show = (told: Unwritten | null, options: Parameters<typeof mounted>[1] = {}) =>
  mounted(withParts(FrameNotes, UnwrittenState), { events: [board(told)], ...options })
const said = () => page.getByRole('status')
const note = () => document.querySelector('.note')?.textContent

describe('what the service took back and could not save', () => {
  const owed = (reason: Extract<AppEvent, { type: 'owed' }>['reason'], profileId = 'local'): AppEvent => ({
    type: 'owed',
    profileId,
    reason,
  })
  it.each([
    ['en', en.unwritten, ' '],
    ['zh', zh.unwritten, ''],
  ] as const)('is said to be undone by a restart until it is saved, in %s', async (language, words, between) => {
    const parts = withParts(FrameNotes, UnwrittenState)
    const { tell } = await mounted(parts, { events: [owed('full')], language })
    await expect.element(said()).toHaveTextContent(words.service)
    await expect.poll(note).toContain(`${words.full}${between}${words.undone}`)
    await tell(owed('other'))
    await expect.poll(note).toContain(words.other.replace('{reason}', words.database))
    await tell(owed(null))
    await expect.element(said()).not.toBeInTheDocument()
  })

  it.each([
    ['en', en.unwritten, ' ', reasonEn.reason.revocation.full],
    ['zh', zh.unwritten, '', reasonZh.reason.revocation.full],
  ] as const)(
    'is said of a service elsewhere as what happens there, in %s',
    async (language, words, between, reason) => {
      const parts = withParts(FrameNotes, UnwrittenState)
      const chosen = { profile: 'hosted-1', profiles: makeExtendedProfiles() } as const
      const { tell } = await mounted(parts, { ...chosen, events: [owed('full', 'hosted-1')], language })
      await expect.element(said()).toHaveTextContent(words.service)
      await expect.poll(note).toContain(`${words.other.replace('{reason}', reason)}${between}${words.undone}`)
      await tell(owed('other', 'hosted-1'))
      await expect.poll(note).toContain(words.other.replace('{reason}', words.database))
    },
  )
})

describe('a seat that was taken back and could not be saved', () => {
  it.each([
    ['en', en.unwritten, 'Mei, Lee', ' '],
    ['zh', zh.unwritten, 'Mei，Lee', ''],
  ] as const)('is told of by name, in %s', async (language, words, names, between) => {
    await show(unwritten(), { language })
    await expect.element(said()).toHaveTextContent(words.title.replace('{names}', names))
    await expect.poll(note).toContain(`${words.full}${between}${words.passing}`)
  })

  it.each([
    [true, en.unwritten.lasting, en.unwritten.passing],
    [false, en.unwritten.passing, en.unwritten.lasting],
  ])('says whether it holds after a restart: %s', async (lasting, text, other) => {
    await show(unwritten({ lasting }))
    await expect.poll(note).toContain(text)
    expect(note()).not.toContain(other)
  })

  it('says why it could not be saved where that is not a full disk', async () => {
    await show(unwritten({ reason: { code: 'readOnly', params: {} } }))
    const text = en.unwritten.other.replace('{reason}', reasonEn.reason.revocation.readOnly)
    await expect.poll(note).toContain(text)
    expect(note()).not.toContain(en.unwritten.full)
  })

  it('is not told of any more once it is saved', async () => {
    const { tell } = await show(unwritten())
    await expect.element(said()).toBeVisible()
    await tell(board(null))
    await expect.element(said()).not.toBeInTheDocument()
  })
})
