import { describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { defineComponent, h, ref } from 'vue'
import type { PushTurn } from '../../../contract/rpc/index.ts'
import { failed } from '../../testing/memory-client.ts'
import { began, channel, mounted } from '../../testing/mounted.ts'
import HealthPanel from './health-panel.vue'
import { spoken } from '../../format/languages.ts'
import { healthWords } from './words-health.ts'

const healthEn = spoken(healthWords, 'en')

const { streamHealth: words } = healthEn
const [one, other] = [channel(1), channel(2)]
const refused = (from: string): PushTurn => ({
  at: began - 60_000,
  kind: 'refused',
  detail: 'wsSecret did not match',
  remedy: 'key',
  from,
})
const cid = ref(one.cid)
const Panel = defineComponent(
  () => () => h(HealthPanel, { open: true, profileId: 'local', cid: cid.value, 'onUpdate:open': () => undefined }),
)
const show = (options: Parameters<typeof mounted>[1] = {}) => {
  cid.value = one.cid
  return mounted(Panel, { channels: [one, other], ...options })
}

describe('the last ten minutes of a push', () => {
  it('are asked for of the channel that is shown', async () => {
    const { client } = await show({ answers: { 'health.recent': () => ({ samples: [], turns: [] }) } })
    await expect.element(page.getByText(words.noDrops)).toBeVisible()
    expect(client.inputs('health.recent')).toEqual([{ profileId: 'local', cid: one.cid }])
  })

  it('are not taken from a late answer about the channel before', async () => {
    const late = Promise.withResolvers<{ samples: []; turns: PushTurn[] }>()
    const { client, tell } = await show({
      answers: {
        'health.recent': ({ cid: asked }) =>
          asked === one.cid ? late.promise : { samples: [], turns: [refused('198.51.100.2')] },
      },
    })
    cid.value = other.cid
    await expect.element(page.getByText(/198\.51\.100\.2/)).toBeVisible()
    late.resolve({ samples: [], turns: [refused('198.51.100.1')] })
    await tell()
    expect(client.inputs('health.recent').map((input) => input.cid)).toEqual([one.cid, other.cid])
    expect(page.getByText(/198\.51\.100\.1/).query()).toBeNull()
    await expect.element(page.getByText(/198\.51\.100\.2/)).toBeVisible()
  })

  it('say why they could not be read', async () => {
    await show({
      answers: {
        'health.recent': () => {
          throw failed({ kind: 'late' })
        },
      },
    })
    await expect.element(page.getByRole('alert')).toBeVisible()
  })
})
