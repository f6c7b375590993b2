import { describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import type { Receiver, SeatListener } from '../../../contract/rpc/index.ts'
import { mounted } from '../../testing/mounted.ts'
import { spoken } from '../../format/languages.ts'
import { callbacksWords } from '../recordings/words-callbacks.ts'
import ListenCard from './listen-card.vue'
import SeatListenerCard from './seat-listener-card.vue'

const callbacksEn = spoken(callbacksWords, 'en')

const taken: Receiver['reason'] = { code: 'taken', params: { port: '7001' } }
const said = { en: 'port 7001 is taken', zh: '端口 7001 已被占用' }

it.each(['en', 'zh'] as const)('says in %s why a receiver does not listen', async (language) => {
  const receiver = { phase: 'failed', host: '127.0.0.1', port: 7001, url: null, open: false, reason: taken }
  await mounted(ListenCard, { props: { receiver, busy: false }, language })
  await expect.element(page.getByRole('status').first()).toMatchTextContent(said[language])
})

it.each(['en', 'zh'] as const)('says in %s why the listener of moderators does not listen', async (language) => {
  const listener: SeatListener = {
    phase: 'failed',
    open: false,
    port: 7001,
    urls: [],
    reason: taken,
    certificate: 'none',
    fingerprint: null,
    certificateUntil: null,
    failures: 0,
  }
  await mounted(SeatListenerCard, { props: { listener }, path: '/settings/moderators', language })
  await expect.element(page.getByRole('status').first()).toMatchTextContent(said[language])
})

describe('the card of a receiver', () => {
  const { receiver: words } = callbacksEn
  const off = { phase: 'off', host: '127.0.0.1', port: 7001, url: null, open: false, reason: null } as const
  const show = async (receiver: object = off, busy = false) => {
    const told: unknown[] = []
    const shown = await mounted(ListenCard, {
      props: {
        receiver,
        busy,
        onStart: (host: string, port: number) => told.push([host, port]),
        onStop: () => told.push('stop'),
      },
    })
    return { ...shown, told }
  }
  const field = (name: string) => page.getByRole('textbox', { name, exact: true })
  const button = (name: string) => page.getByRole('button', { name, exact: true })

  it('starts at the address and port that are entered', async () => {
    const { told } = await show()
    await expect.element(page.getByRole('status').first()).toMatchTextContent(words.phase.off)
    await field(words.host).fill('0.0.0.0')
    await field(words.port).fill('0')
    await button(words.start).click()
    expect(told).toEqual([['0.0.0.0', 0]])
  })

  it.each([
    ['65536', '127.0.0.1', words.portFault],
    ['', '127.0.0.1', words.portFault],
    ['7001', 'stage.example', words.hostFault],
    ['7001', '', words.hostFault],
  ])('does not start at port “%s” of “%s”, and says why', async (port, host, fault) => {
    const { told } = await show()
    await field(words.port).fill(port)
    await field(words.host).fill(host)
    await expect.element(page.getByText(fault)).toBeVisible()
    await button(words.start).click()
    expect(told).toEqual([])
  })

  it('that listens has its address, fields that cannot be changed, and stops', async () => {
    const { told } = await show({ ...off, phase: 'listening', url: 'http://127.0.0.1:7001/x', open: true })
    await expect.element(page.getByText('http://127.0.0.1:7001/x')).toBeVisible()
    await expect.element(field(words.host)).toBeDisabled()
    await expect.element(field(words.port)).toBeDisabled()
    await expect.element(page.getByText(words.open)).toBeVisible()
    await button(words.stop).click()
    expect(told).toEqual(['stop'])
  })

  it('warns of other computers only where they reach it', async () => {
    await show()
    await expect.element(button(words.start)).toBeVisible()
    expect(page.getByText(words.open).query()).toBeNull()
  })

  it('cannot be pressed while it is changed', async () => {
    await show(off, true)
    await expect.element(button(words.start)).toBeDisabled()
  })
})
