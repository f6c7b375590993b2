import { expect, it } from 'vitest'
import { page } from 'vitest/browser'
import type { Receiver, SeatListener } from '../../../contract/rpc/index.ts'
import { mounted } from '../../testing/mounted.ts'
import ListenCard from './listen-card.vue'
import SeatListenerCard from './seat-listener-card.vue'

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
