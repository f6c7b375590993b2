import { describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { defineComponent, h, ref } from 'vue'
import type { PushTurn } from '../../../contract/rpc/index.ts'
import { failed } from '../../testing/memory-client.ts'
import { useCompanion } from '../../data/companion.ts'
import { began, channel, figures, mounted } from '../../testing/mounted.ts'
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

  it('have the figures of each minute, newest first, with dashes for what was not measured', async () => {
    const sample = (at: number, kbps: number | null) => ({ at, kbps, fps: 30, drift: 1_500 })
    await show({
      answers: {
        'health.recent': () => ({ samples: [sample(began - 90_000, 4_000), sample(began - 1_000, null)], turns: [] }),
      },
    })
    await expect.element(page.getByRole('region', { name: words.table })).toBeVisible()
    const rows = [...document.querySelectorAll('tbody tr')].map((row) =>
      [...row.children].map(({ textContent }) => textContent?.trim()),
    )
    expect(rows).toEqual([
      ['15:59', '–', '–', '30.0', '30.0', '1.5'],
      ['15:58', '4,000', '4,000', '30.0', '30.0', '1.5'],
    ])
  })

  it('grow with what is measured while they are shown', async () => {
    const { tell } = await show({ answers: { 'health.recent': () => ({ samples: [], turns: [] }) } })
    await expect.element(page.getByText(words.none)).toBeVisible()
    await tell({ ...figures(one, { kbps: 5_000 }), at: began - 1_000 })
    await expect.element(page.getByRole('region', { name: words.table })).toMatchTextContent('5,000')
  })

  it('list each drop with how long nothing came', async () => {
    const turn = (at: number, kind: PushTurn['kind'], detail: string | null = null): PushTurn => ({
      at,
      kind,
      detail,
      remedy: null,
    })
    await show({
      answers: {
        'health.recent': () => ({
          samples: [],
          turns: [
            turn(began - 90_000, 'started'),
            turn(began - 60_000, 'ended', 'lost'),
            turn(began - 55_000, 'started'),
          ],
        }),
      },
    })
    const drops = page.getByRole('region', { name: words.drops })
    await expect.element(drops).toMatchTextContent(words.seconds.replace('{n}', '5.0'))
    expect(page.getByText(words.noDrops).query()).toBeNull()
  })

  it('are read again when the line to the app is back', async () => {
    const { client, lose, pinia } = await show({ answers: { 'health.recent': () => ({ samples: [], turns: [] }) } })
    await expect.poll(() => client.inputs('health.recent').length).toBe(1)
    await lose()
    useCompanion(pinia).lineIs('open')
    await expect.poll(() => client.inputs('health.recent').length).toBe(2)
  })
})
