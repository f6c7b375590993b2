import { setTimeout as later } from 'node:timers/promises'
import type { Page } from 'playwright'
import { lastLine, playing, recordings, type Booth, type Shot } from './booth.ts'
import { elsewhereOf, type Elsewhere } from './elsewhere.ts'
import { until } from './screen-app.ts'

/** More than any disk keeps free: then nothing is recorded. */
const wholeDisk = ['--recording-reserve', String(2 ** 50)]

/** Chooses a profile in the title bar. */
async function choose({ page, say }: Booth, name: string): Promise<void> {
  await page
    .getByRole('banner')
    .getByRole('button', { name: new RegExp(`^${say('title.profile')}`) })
    .click()
  await page.getByRole('menuitemcheckbox', { name, exact: true }).click()
  await page.getByRole('banner').getByText(name, { exact: true }).waitFor()
}

/** How an extended profile comes to be seen: an own service elsewhere, on air, and in trouble. */
export const elsewhereShots = (go: (booth: Booth, route: string) => Promise<Page>): Readonly<Record<string, Shot>> => {
  const shot = (show: (booth: Booth, far: Elsewhere) => Promise<Page>, undo?: Shot['after']): Shot => ({
    open: async (booth) => {
      const far = await elsewhereOf(booth.world)
      // What was told meanwhile, as of a push that ended, is no part of the picture.
      await booth.page.reload()
      await booth.page.getByRole('heading', { level: 1 }).first().waitFor()
      await choose(booth, booth.world.personas.elsewhere)
      return show(booth, far)
    },
    after: async (booth) => {
      await undo?.(booth)
      await choose(booth, booth.say('title.thisComputer'))
    },
  })
  const studio = async (booth: Booth, { cid }: Elsewhere): Promise<Page> => {
    const page = await go(booth, `/studio/${cid}`)
    await playing(page)
    return page
  }
  return {
    'elsewhere-studio': shot(async (booth, far) => {
      const page = await studio(booth, far)
      await page.getByRole('log').getByText(lastLine(booth)).waitFor()
      // Graphs of its health have something to show.
      await later(5000)
      return page
    }),
    'elsewhere-share': shot(
      async (booth, far) => {
        const { rpc } = booth.world.companion
        const { profileId, cid } = far
        const limits = { maxViewers: 5_000, maxKbps: 900_000, maxGigabytes: 500 }
        await rpc.operations.access.updateWatchLimits({ profileId, call: limits })
        const [members, campus] = booth.world.personas.links
        for (const name of [campus, members]) await rpc.access.addLink({ profileId, cid, name })
        const page = await studio(booth, far)
        await page.getByRole('button', { name: booth.say('share.open'), exact: true }).click()
        await page.getByRole('row').filter({ hasText: campus }).waitFor()
        await page.getByRole('meter').waitFor()
        return page
      },
      ({ page }) => page.keyboard.press('Escape'),
    ),
    'elsewhere-room': shot(async (booth, { roomid }) => {
      const { personas } = booth.world
      const page = await go(booth, '/room')
      await page.getByRole('combobox', { name: booth.say('room.choose') }).selectOption(String(roomid))
      await playing(page)
      await page.getByRole('log').getByText(personas.lines[0]![1]).click()
      await page.keyboard.press('u')
      await page.getByRole('button', { name: booth.say('roomLists.tab.held', { n: 2 }), exact: true }).click()
      await page
        .getByRole('region', { name: booth.say('roomLists.held.list') })
        .getByRole('listitem')
        .nth(1)
        .waitFor()
      await page.mouse.move(5, 300)
      return page
    }),
    'elsewhere-recordings': shot((booth) => recordings(booth, go)),
    'elsewhere-away': shot(
      async (booth, far) => {
        const page = await studio(booth, far)
        await page.getByRole('log').getByText(lastLine(booth)).waitFor()
        await far.lose()
        const waiting = booth.say('status.hostedWaiting', { host: far.host })
        await page.getByRole('contentinfo').getByText(waiting, { exact: true }).waitFor()
        await page.locator('[data-health]').first().waitFor()
        return page
      },
      async ({ world }) => (await elsewhereOf(world)).start(),
    ),
    'elsewhere-full': shot(async (booth, far) => {
      const { rpc } = booth.world.companion
      const { profileId, cid } = far
      await far.start(wholeDisk)
      await until('its answer', () =>
        rpc.channels.list({ profileId }).then(
          () => true,
          () => false,
        ),
      )
      await far.push()
      await until(
        'a recording that is stopped',
        async () => (await rpc.recordings.state({ profileId, cid }))?.state === 'stopped',
      )
      const page = await studio(booth, far)
      await page.getByText(booth.say('recording.stopped')).first().waitFor()
      await page.locator('[data-health="good"]').waitFor()
      return page
    }),
  }
}
