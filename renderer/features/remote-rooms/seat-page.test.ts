import { createPinia, setActivePinia } from 'pinia'
import { createApp } from 'vue'
import { expect, it } from 'vitest'
import type { RpcClient } from '../../data/client.ts'
import { seatSessionKey, type SeatSignIn } from '../../data/seat-session.ts'
import type { About } from '../../../contract/rpc/state.ts'
import { useCompanion } from '../../data/companion.ts'
import { useSeatPage } from './seat-page.ts'
import { servicesKey } from '../../data/services.ts'

const about: About = {
  version: '1',
  shell: 'browser',
  platform: '',
  capabilities: [],
  shellReason: null,
  seat: { profileId: 'local', roomid: 7, cid: null, accid: 'mei', name: 'Mei' },
}
function stage(kept: Record<string, string> = {}) {
  const state = { answer: { came: 'in' } as SeatSignIn, goes: true, asked: 0 }
  const app = createApp({})
  const pinia = createPinia()
  app.provide(servicesKey, {
    rpc: {} as RpcClient,
    now: () => 1_000,
    memory: {
      read: (key) => kept[key] ?? null,
      write: (key, value) => {
        kept[key] = value
      },
    },
  })
  app.provide(seatSessionKey, {
    code: 'the-code',
    readAddress: () => undefined,
    signIn: () => {
      state.asked++
      return Promise.resolve(state.answer)
    },
    signOut: () => Promise.resolve(state.goes),
  })
  app.use(pinia)
  setActivePinia(pinia)
  return { state, kept, companion: useCompanion(), seatPage: app.runWithContext(() => useSeatPage()) }
}
const entered = { accid: 'mei', token: 't', code: 'c' }

it('keeps its look in the memory of the page, and takes nothing from there that is no look', () => {
  const { kept, seatPage } = stage({ 'sidestage.seat.theme': 'light', 'sidestage.seat.language': 'tlh' })
  expect([seatPage.theme, seatPage.language]).toEqual(['light', 'system'])
  seatPage.setTheme('dark')
  seatPage.setLanguage('zh')
  expect(kept).toEqual({ 'sidestage.seat.theme': 'dark', 'sidestage.seat.language': 'zh' })
})

it('says why it was not let in and counts down until the next try', async () => {
  const { state, companion, seatPage } = stage()
  expect(seatPage.code()).toBe('the-code')
  state.answer = { came: 'refused', wait: 3 }
  expect(await seatPage.signIn(entered)).toBe(false)
  expect([seatPage.refusal, seatPage.wait, seatPage.busy]).toEqual(['refused', 3, false])
  companion.clock = 3_500
  expect(seatPage.wait).toBe(1)
  state.answer = { came: 'offline' }
  await seatPage.signIn(entered)
  expect([seatPage.refusal, seatPage.wait]).toEqual(['offline', 0])
  state.answer = { came: 'in' }
  expect(await seatPage.signIn(entered)).toBe(true)
  expect(seatPage.refusal).toBeNull()
})

it('signs in once at a time', async () => {
  const { state, seatPage } = stage()
  expect(await Promise.all([seatPage.signIn(entered), seatPage.signIn(entered)])).toEqual([true, false])
  expect(state.asked).toBe(1)
})

it('tells who went from who was put out', async () => {
  const { state, companion, seatPage } = stage()
  expect(seatPage.past).toBeNull()
  companion.about = about
  expect(seatPage.past).toBe('ended')
  state.goes = false
  expect(await seatPage.signOut()).toBe(false)
  expect(seatPage.past).toBe('ended')
  state.goes = true
  expect(await seatPage.signOut()).toBe(true)
  expect(seatPage.past).toBe('left')
})
