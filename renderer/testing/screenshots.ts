// Long because it is one list of the screens in their states, read from top to bottom.
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium, type Browser, type Page } from 'playwright'
import type { Settings } from '../../contract/rpc/state.ts'
import { axeViolations } from './axe-violations.ts'
import { startFakeCompanion, type FakeCompanion } from './fake-companion.ts'
import { makeObs } from './fake-obs.ts'
import type { Scenario } from './fake-state.ts'

/**
 * Takes a picture of every screen in its states, themes and languages into out/screenshots and runs axe on each.
 * `node renderer/testing/screenshots.ts [part of a name] [--page DIR]`; ends with 1 when axe or the page's console complains.
 */
interface Shot {
  readonly name: string
  readonly scenario: Scenario
  readonly path: string
  /** Both themes and languages, or dark English only. */
  readonly everywhere: boolean
  readonly prepare?: (page: Page, fake: FakeCompanion) => Promise<void>
  readonly signedIn?: boolean
  readonly picture?: boolean
  /** Other than 1440 x 900 and 1120 x 700. */
  readonly sizes?: readonly { readonly width: number; readonly height: number }[]
}

const ownWindow = [
  { width: 420, height: 900 },
  { width: 340, height: 480 },
] as const
const roomLine = async (page: Page): Promise<void> => {
  await page.getByRole('log').getByText('spoiler: they cut').click()
  await page.keyboard.press('u')
  await page.getByText('u_58213').first().waitFor()
}
const secondOf = async (page: Page): Promise<void> => {
  await page.getByRole('log').getByText('spoiler: they cut').click()
  await page.keyboard.press('t')
  await page.getByRole('dialog').waitFor()
  await page.waitForTimeout(300)
}
const studio = '/studio/7e3a91c40123456789abcdef01234567'
const cardOf =
  (text: string, also?: (page: Page) => Promise<void>) =>
  async (page: Page): Promise<void> => {
    await page.getByRole('log').getByText(text).click()
    await page.keyboard.press('u')
    await page.getByRole('region', { name: /^(User card|用户卡片)$/ }).waitFor()
    await also?.(page)
  }
const selectThree = async (page: Page): Promise<void> => {
  for (const row of [3, 4, 5])
    await page
      .locator('tbody tr')
      .nth(row - 1)
      .getByRole('checkbox')
      .click()
}
const playing = async (page: Page): Promise<void> => {
  await page.waitForFunction(() => (document.querySelector('video')?.currentTime ?? 0) > 1, undefined, { timeout: 20_000 })
  await page.waitForTimeout(4_000)
}
const hosted = async (page: Page): Promise<void> => {
  await page.evaluate(() => {
    localStorage.setItem('sidestage.profile', 'hosted-1')
  })
  await page.reload()
}
const obsIs =
  (kind: Parameters<typeof makeObs>[0], also?: (page: Page) => Promise<void>) =>
  async (page: Page, fake: FakeCompanion): Promise<void> => {
    await page.getByRole('region', { name: 'OBS' }).waitFor()
    fake.tell({ type: 'obs', obs: makeObs(kind, Date.now()) })
    await page.getByRole('region', { name: 'OBS' }).scrollIntoViewIfNeeded()
    await also?.(page)
    await page.waitForTimeout(300)
  }
const shots: readonly Shot[] = [
  { name: 'channels', scenario: 'full', path: '/channels', everywhere: true, prepare: selectThree },
  { name: 'channels-empty', scenario: 'empty', path: '/channels', everywhere: true },
  { name: 'channels-fault', scenario: 'fault', path: '/channels', everywhere: false },
  { name: 'channels-loading', scenario: 'loading', path: '/channels', everywhere: false, prepare: (page) => page.waitForTimeout(500) },
  { name: 'channels-no-hit', scenario: 'full', path: '/channels', everywhere: false, prepare: (page) => page.getByRole('searchbox').fill('nothing_like_it') },
  {
    name: 'channels-report',
    scenario: 'failing',
    path: '/channels',
    everywhere: true,
    prepare: async (page) => {
      for (const row of [3, 4, 5]) await page.locator('tbody tr').nth(row).getByRole('checkbox').click()
      await page.locator('section button', { hasText: /Disable \d|停用 \d/ }).click()
      await page.getByRole('dialog').waitFor()
    },
  },
  {
    name: 'channels-delete',
    scenario: 'full',
    path: '/channels',
    everywhere: false,
    prepare: async (page) => {
      await page.locator('tbody tr').nth(0).getByRole('button').last().click()
      await page.getByRole('menuitem').last().click()
      await page.getByRole('dialog').waitFor()
    },
  },
  {
    name: 'channels-menu',
    scenario: 'full',
    path: '/channels',
    everywhere: false,
    prepare: async (page) => {
      await page.locator('tbody tr').nth(3).getByRole('button').last().click()
      await page.getByRole('menu').waitFor()
    },
  },
  {
    name: 'channels-create',
    scenario: 'full',
    path: '/channels',
    everywhere: true,
    prepare: async (page) => {
      await page.keyboard.press('n')
      await page.getByRole('dialog').getByRole('textbox').fill('Kitchen_Cam')
      await page.keyboard.press('Enter')
      await page.waitForTimeout(400)
    },
  },
  {
    name: 'channels-created',
    scenario: 'full',
    path: '/channels',
    everywhere: false,
    prepare: async (page) => {
      await page.keyboard.press('n')
      await page.getByRole('dialog').getByRole('textbox').fill('Fresh_show')
      await page.keyboard.press('Enter')
      await page.getByText('Fresh_show was created').first().waitFor()
    },
  },
  {
    name: 'channels-offline',
    scenario: 'full',
    path: '/channels',
    everywhere: false,
    prepare: async (page, fake) => {
      fake.cutLines(true)
      await page.waitForTimeout(500)
    },
  },
  { name: 'channels-hosted', scenario: 'hosted', path: '/channels', everywhere: false, prepare: hosted },
  { name: 'channels-hosted-fault', scenario: 'hostedFault', path: '/channels', everywhere: false, prepare: hosted },
  { name: 'studio', scenario: 'full', path: studio, everywhere: true, picture: true, prepare: playing },
  {
    name: 'studio-replace',
    scenario: 'full',
    path: studio,
    everywhere: false,
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Replace key' }).click()
      await page.getByRole('dialog').waitFor()
    },
  },
  { name: 'studio-idle', scenario: 'full', path: '/studio/c2d955100123456789abcdef01234567', everywhere: false },
  { name: 'studio-disabled', scenario: 'full', path: '/studio/e90d3c880123456789abcdef01234567', everywhere: true },
  { name: 'studio-error', scenario: 'fault', path: studio, everywhere: true },
  { name: 'studio-stopped', scenario: 'stopped', path: studio, everywhere: false },
  { name: 'studio-expired', scenario: 'expired', path: studio, everywhere: false },
  { name: 'studio-expiring', scenario: 'expiring', path: studio, everywhere: false },
  { name: 'studio-poor', scenario: 'poor', path: studio, everywhere: false, picture: true, prepare: playing },
  {
    name: 'studio-hosted',
    scenario: 'hosted',
    path: studio,
    everywhere: false,
    picture: true,
    prepare: async (page) => {
      await page.evaluate(() => {
        localStorage.setItem('sidestage.profile', 'hosted-1')
      })
      await page.reload()
      await playing(page)
    },
  },
  { name: 'studio-recording', scenario: 'recording', path: studio, everywhere: true },
  { name: 'studio-disk-full', scenario: 'diskFull', path: studio, everywhere: false },
  {
    name: 'studio-recording-form',
    scenario: 'recording',
    path: studio,
    everywhere: true,
    prepare: async (page) => {
      await page.locator('.recording .icon-button').first().click()
      await page.getByRole('dialog').waitFor()
    },
  },
  { name: 'studio-empty', scenario: 'empty', path: '/studio', everywhere: false },
  { name: 'studio-obs-off', scenario: 'full', path: studio, everywhere: false, prepare: obsIs('off') },
  { name: 'studio-obs-idle', scenario: 'full', path: studio, everywhere: true, prepare: obsIs('idle') },
  { name: 'studio-obs-live', scenario: 'full', path: studio, everywhere: true, prepare: obsIs('live') },
  { name: 'studio-obs-poor', scenario: 'full', path: studio, everywhere: true, prepare: obsIs('poor') },
  { name: 'studio-obs-elsewhere', scenario: 'full', path: studio, everywhere: true, prepare: obsIs('elsewhere') },
  { name: 'studio-obs-absent', scenario: 'full', path: studio, everywhere: true, prepare: obsIs('absent') },
  {
    name: 'studio-obs-refused',
    scenario: 'full',
    path: studio,
    everywhere: true,
    prepare: obsIs('refused', async (page) => {
      await page.getByRole('region', { name: 'OBS' }).getByRole('button').first().click()
      await page.getByRole('dialog').waitFor()
    }),
  },
  {
    name: 'recordings',
    scenario: 'recording',
    path: '/recordings',
    everywhere: true,
    prepare: async (page) => {
      for (const row of [2, 1, 4]) await page.locator('tbody tr').nth(row).getByRole('checkbox').click()
      await page.getByRole('textbox').fill('LateNight_week_47')
    },
  },
  {
    name: 'recordings-day',
    scenario: 'recording',
    path: '/recordings',
    everywhere: false,
    prepare: async (page) => {
      await page.getByRole('radio', { name: 'Day' }).click()
    },
  },
  {
    name: 'recordings-empty',
    scenario: 'diskFull',
    path: '/recordings',
    everywhere: true,
    prepare: async (page) => {
      for (let n = 0; n < 3; n++) await page.getByRole('button', { name: /Earlier|更早/ }).click()
    },
  },
  { name: 'many-channels', scenario: 'many', path: '/channels', everywhere: false },
  { name: 'many-recordings', scenario: 'many', path: '/recordings', everywhere: false },
  {
    name: 'many-choice',
    scenario: 'many',
    path: '/recordings',
    everywhere: true,
    prepare: async (page) => {
      await page.getByRole('button', { name: /Channel: |频道：/ }).click()
      await page.getByRole('listbox').waitFor()
      await page.waitForTimeout(300)
    },
  },
  {
    name: 'recordings-menu',
    scenario: 'recording',
    path: '/recordings',
    everywhere: true,
    prepare: async (page) => {
      await page.locator('tbody tr').nth(0).getByRole('button').last().click()
      await page.getByRole('menu').waitFor()
    },
  },
  {
    name: 'recordings-marker',
    scenario: 'recording',
    path: '/recordings',
    everywhere: true,
    prepare: async (page) => {
      await page.locator('button.mark').first().click()
      await page.getByRole('dialog').waitFor()
      await page.waitForTimeout(300)
    },
  },
  {
    name: 'recordings-markers',
    scenario: 'recording',
    path: '/recordings',
    everywhere: true,
    prepare: async (page) => {
      await page.locator('button.mark.several').first().focus()
      await page.keyboard.press('Enter')
      await page.getByRole('menu').waitFor()
    },
  },
  {
    name: 'recordings-chat',
    scenario: 'recording',
    path: '/recordings',
    everywhere: true,
    prepare: async (page) => {
      await page.locator('tbody tr').nth(0).getByRole('button').first().click()
      await page.waitForFunction(() => (document.querySelector('video')?.currentTime ?? 0) > 1)
      await page.evaluate(() => document.querySelector('video')?.pause())
      await page.getByRole('dialog').getByText('spoiler').waitFor()
    },
  },
  {
    name: 'recordings-chat-quiet',
    scenario: 'diskFull',
    path: '/recordings',
    everywhere: false,
    prepare: async (page) => {
      await page.locator('tbody tr').nth(0).getByRole('button').first().click()
      await page.getByRole('dialog').waitFor()
      await page.waitForTimeout(500)
    },
  },
  { name: 'recordings-no-channel', scenario: 'empty', path: '/recordings', everywhere: false },
  { name: 'recordings-failing', scenario: 'failing', path: '/recordings', everywhere: true },
  { name: 'recordings-service-fault', scenario: 'fault', path: '/recordings', everywhere: false },
  { name: 'recordings-hosted', scenario: 'hosted', path: '/recordings', everywhere: false, prepare: hosted },
  {
    name: 'recordings-checks',
    scenario: 'full',
    path: '/recordings',
    everywhere: false,
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Earlier' }).waitFor()
      for (const row of await page.locator('tbody tr').all()) {
        const box = row.getByRole('checkbox')
        if (await box.isEnabled()) await box.click()
      }
    },
  },
  {
    name: 'recordings-log',
    scenario: 'recording',
    path: '/recordings',
    everywhere: true,
    prepare: async (page) => {
      await page.getByRole('button', { name: /Delivery log|投递日志/ }).click()
      await page.getByRole('dialog').waitFor()
      await page.waitForTimeout(300)
    },
  },
  {
    name: 'recordings-player',
    scenario: 'recording',
    path: '/recordings',
    everywhere: false,
    prepare: async (page) => {
      await page.locator('tbody tr').nth(0).getByRole('button').first().click()
      await page.waitForFunction(() => (document.querySelector('video')?.currentTime ?? 0) > 0.5)
      await page.evaluate(() => document.querySelector('video')?.pause())
    },
  },
  {
    name: 'recordings-delete',
    scenario: 'recording',
    path: '/recordings',
    everywhere: false,
    prepare: async (page) => {
      await page.locator('tbody tr').nth(0).getByRole('button').last().click()
      await page.getByRole('menuitem').last().click()
      await page.getByRole('dialog').waitFor()
    },
  },
  { name: 'settings-profiles', scenario: 'full', path: '/settings/profiles', everywhere: true },
  {
    name: 'settings-profiles-faults',
    scenario: 'hostedFault',
    path: '/settings/profiles',
    everywhere: false,
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Check: Harbour production' }).click()
      await page.getByRole('alert').waitFor()
    },
  },
  {
    name: 'settings-add',
    scenario: 'full',
    path: '/settings/profiles?add=1',
    everywhere: true,
    prepare: async (page) => {
      const fields = page.getByRole('dialog').locator('input')
      for (const [index, text] of ['Stage two', 'https://clock.example.com', 'https://im.example.com', 'abc', 'secret'].entries())
        await fields.nth(index).fill(text)
      await page.getByRole('dialog').getByRole('button').first().click()
      await page.getByRole('alert').waitFor()
    },
  },
  {
    name: 'settings-support',
    scenario: 'full',
    path: '/settings/support',
    everywhere: true,
    prepare: async (page) => {
      await page.getByRole('button', { name: /Gather the parts|收集各部分/ }).click()
      await page.getByRole('button', { name: /^service-log/ }).click()
    },
  },
  {
    name: 'settings-receivers',
    scenario: 'full',
    path: '/settings/receivers',
    everywhere: true,
    prepare: async (page) => {
      // Something is on air.
      await page.getByText(/stays covered|都不显示密钥/).waitFor()
    },
  },
  {
    name: 'settings-recordings',
    scenario: 'full',
    path: '/settings/recordings',
    everywhere: true,
    prepare: async (page) => {
      await page.locator('input[name=days]').fill('30')
      await page.locator('input[name=gigabytes]').fill('500')
      await page.waitForTimeout(200)
    },
  },
  {
    name: 'settings-recordings-ask',
    scenario: 'full',
    path: '/settings/recordings',
    everywhere: true,
    prepare: async (page) => {
      await page.locator('input[name=days]').fill('30')
      await page.keyboard.press('Enter')
      await page.getByRole('dialog').waitFor()
      await page.waitForTimeout(300)
    },
  },
  { name: 'settings-receivers-hosted', scenario: 'hosted', path: '/settings/receivers', everywhere: false, prepare: hosted },
  { name: 'settings-copies', scenario: 'full', path: '/settings/copies', everywhere: true },
  { name: 'settings-copies-empty', scenario: 'empty', path: '/settings/copies', everywhere: false },
  { name: 'settings-copies-hosted', scenario: 'hosted', path: '/settings/copies', everywhere: false, prepare: hosted },
  { name: 'settings-moderators', scenario: 'full', path: '/settings/moderators', everywhere: true },
  { name: 'settings-moderators-empty', scenario: 'empty', path: '/settings/moderators', everywhere: false },
  {
    name: 'settings-moderators-invited',
    scenario: 'full',
    path: '/settings/moderators',
    everywhere: true,
    prepare: async (page) => {
      await page.getByRole('button', { name: /^(Invite again|重新邀请) 小雨$/ }).click()
      await page.getByRole('region', { name: /小雨/ }).scrollIntoViewIfNeeded()
    },
  },
  {
    name: 'settings-moderators-revoked',
    scenario: 'full',
    path: '/settings/moderators',
    everywhere: true,
    prepare: async (page) => {
      await page.getByRole('button', { name: /^(Take back…|收回…) Mei$/ }).click()
      await page.getByRole('dialog').getByRole('button').last().click()
      await page.getByRole('status').filter({ hasText: /Mei/ }).scrollIntoViewIfNeeded()
    },
  },
  { name: 'settings-computer', scenario: 'full', path: '/settings/computer', everywhere: true },
  { name: 'settings-computer-moved', scenario: 'poor', path: '/settings/computer', everywhere: true },
  { name: 'settings-computer-moving', scenario: 'fault', path: '/settings/computer', everywhere: true },
  { name: 'settings-computer-away', scenario: 'stopped', path: '/settings/computer', everywhere: false },
  {
    name: 'settings-computer-below',
    scenario: 'poor',
    path: '/settings/computer',
    everywhere: true,
    prepare: async (page) => {
      await page.getByRole('button', { name: /^(Test it|测试)$/ }).click()
      await page.getByRole('button', { name: /^(Export…|导出…)$/ }).scrollIntoViewIfNeeded()
    },
  },
  {
    name: 'settings-computer-move',
    scenario: 'full',
    path: '/settings/computer',
    everywhere: true,
    prepare: async (page) => {
      await page.getByRole('button', { name: /^(Move…|移动…)$/ }).click()
      await page.getByRole('dialog').getByRole('textbox').fill('/media/ana/Stage 2')
      await page.keyboard.press('Enter')
      await page.getByRole('dialog').getByRole('status').waitFor()
    },
  },
  {
    name: 'settings-computer-import',
    scenario: 'full',
    path: '/settings/computer',
    everywhere: true,
    prepare: async (page) => {
      await page.locator('input[type=file]').setInputFiles({ name: 'settings.json', mimeType: 'application/json', buffer: Buffer.from('{}') })
      await page.getByRole('dialog').waitFor()
    },
  },
  { name: 'settings-appearance', scenario: 'full', path: '/settings/appearance', everywhere: true },
  {
    name: 'palette',
    scenario: 'full',
    path: '/channels',
    everywhere: true,
    prepare: async (page) => {
      await page.keyboard.press('Control+k')
      await page.getByRole('dialog').waitFor()
      await page.waitForTimeout(300)
    },
  },
  {
    name: 'messaging',
    scenario: 'full',
    path: '/messaging?scene=p2p&with=mei',
    everywhere: true,
    prepare: (page) => page.getByRole('log').getByText('songs-of-tonight.txt').waitFor(),
  },
  { name: 'messaging-first', scenario: 'empty', path: '/messaging', everywhere: false },
  {
    name: 'messaging-hosted',
    scenario: 'hosted',
    path: '/messaging?scene=p2p&with=mei',
    everywhere: true,
    prepare: async (page) => {
      await page.evaluate(() => {
        localStorage.setItem('sidestage.acting.hosted-1', 'ana')
      })
      await hosted(page)
      await page.getByRole('log').getByText('songs-of-tonight.txt').waitFor()
    },
  },
  {
    name: 'messaging-refused',
    scenario: 'failing',
    path: '/messaging?scene=p2p&with=mei',
    everywhere: false,
    prepare: async (page) => {
      await page.getByRole('textbox', { name: /^Message to/ }).fill('hello')
      await page.keyboard.press('Enter')
      await page.getByText('The message was not sent.').waitFor()
    },
  },
  { name: 'messaging-accounts', scenario: 'full', path: '/messaging/accounts/mei', everywhere: true },
  {
    name: 'messaging-friends',
    scenario: 'full',
    path: '/messaging/accounts/mei',
    everywhere: false,
    prepare: async (page) => {
      await page.getByRole('tab', { name: 'Friends' }).click()
      await page.waitForTimeout(300)
    },
  },
  {
    name: 'messaging-token',
    scenario: 'full',
    path: '/messaging/accounts',
    everywhere: true,
    prepare: async (page) => {
      await page.getByRole('button', { name: /^(Create account|创建账号)$/ }).click()
      await page.getByRole('dialog').getByRole('textbox').first().fill('new_host')
      await page.keyboard.press('Enter')
      await page.getByText('3f9a51c07be24d6e8a10c2f4d5b6978e').waitFor()
    },
  },
  { name: 'messaging-teams', scenario: 'full', path: '/messaging/teams/3001', everywhere: true },
  {
    name: 'messaging-dissolve',
    scenario: 'full',
    path: '/messaging/teams/3001',
    everywhere: true,
    prepare: async (page) => {
      await page.getByRole('button', { name: /^(Dissolve…|解散…)$/ }).click()
      await page.getByRole('dialog').waitFor()
    },
  },
  { name: 'messaging-words', scenario: 'full', path: '/messaging/words', everywhere: true },
  {
    name: 'room',
    scenario: 'full',
    path: '/room',
    everywhere: true,
    picture: true,
    prepare: async (page) => {
      await roomLine(page)
      await playing(page)
    },
  },
  { name: 'room-second-none', scenario: 'full', path: '/room', everywhere: true, prepare: secondOf },
  { name: 'room-second-running', scenario: 'recording', path: '/room', everywhere: true, prepare: secondOf },
  { name: 'room-second-unlinked', scenario: 'poor', path: '/room', everywhere: false, prepare: secondOf },
  {
    name: 'room-muted',
    scenario: 'full',
    path: '/room',
    everywhere: false,
    prepare: async (page) => {
      await page.getByRole('log').getByText('spoiler: they cut').waitFor()
      await page.keyboard.press('F9')
      await page.getByRole('button', { name: /^(Lift|解除)/ }).waitFor()
    },
  },
  {
    name: 'room-search',
    scenario: 'full',
    path: '/room',
    everywhere: false,
    prepare: async (page) => {
      await page.getByRole('log').getByText('spoiler: they cut').waitFor()
      await page.keyboard.press('/')
      await page.keyboard.type('the')
    },
  },
  {
    name: 'room-closed',
    scenario: 'full',
    path: '/room',
    everywhere: false,
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Close room…' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Close room' }).click()
      await page.getByText('The room is closed.').waitFor()
    },
  },
  {
    name: 'room-failing',
    scenario: 'failing',
    path: '/room',
    everywhere: false,
    prepare: async (page) => {
      await page.getByRole('textbox', { name: /^Say as/ }).fill('hello')
      await page.keyboard.press('Enter')
      await page.keyboard.press('F9')
      await page.waitForTimeout(300)
    },
  },
  {
    name: 'room-long',
    scenario: 'many',
    path: '/room',
    everywhere: false,
    prepare: async (page) => {
      await page.getByRole('log').getByText('spoiler: they cut').last().waitFor()
      await page.getByRole('log').click({ position: { x: 100, y: 100 } })
      await page.keyboard.press('Home')
      await page.waitForTimeout(300)
    },
  },
  { name: 'room-card-guest', scenario: 'full', path: '/room', everywhere: false, prepare: cardOf('this is the part I was') },
  { name: 'room-card-admin', scenario: 'full', path: '/room', everywhere: false, prepare: cardOf('Full list is in') },
  { name: 'room-card-host', scenario: 'full', path: '/room', everywhere: false, prepare: cardOf('It is "Harbour Lights"') },
  {
    name: 'room-card-muted',
    scenario: 'full',
    path: '/room',
    everywhere: true,
    prepare: cardOf('cheap coins', async (page) => {
      await page.keyboard.press('6')
      await page.getByText(/^(Muted until lifted|禁言直到解除)$/).waitFor()
      await page.getByRole('button', { name: /^(Sign-ins|登录)$/ }).click()
    }),
  },
  {
    name: 'room-keys',
    scenario: 'full',
    path: '/room',
    everywhere: true,
    prepare: async (page) => {
      await page.getByRole('log').getByText('spoiler: they cut').waitFor()
      await page.keyboard.press('?')
      await page.getByRole('dialog').waitFor()
    },
  },
  { name: 'popout-card-muted', scenario: 'full', path: '/pop-out/room/3101', everywhere: false, sizes: ownWindow, prepare: cardOf('cheap coins') },
  {
    name: 'settings-room',
    scenario: 'full',
    path: '/settings/room',
    everywhere: true,
    prepare: async (page) => {
      await page.getByRole('textbox').nth(1).fill('60')
      await page.getByRole('combobox').nth(1).selectOption('days')
    },
  },
  {
    name: 'settings-keys',
    scenario: 'full',
    path: '/settings/keys',
    everywhere: true,
    prepare: async (page) => {
      await page.getByRole('button', { name: /^(User card: U|用户卡片：U)/ }).click()
      await page.keyboard.press('g')
      await page.getByText(/is G now|现在是 G/).waitFor()
      await page.getByRole('button', { name: /^(Mute with the last preset: M|按上次的时长禁言：M)/ }).click()
      await page.keyboard.press('d')
      await page.getByRole('alert').waitFor()
    },
  },
  { name: 'room-fault', scenario: 'fault', path: '/room', everywhere: false },
  { name: 'popout', scenario: 'full', path: '/pop-out/room/3101', everywhere: true, sizes: ownWindow, prepare: roomLine },
  {
    name: 'popout-queue',
    scenario: 'full',
    path: '/pop-out/room/3101',
    everywhere: true,
    sizes: ownWindow,
    prepare: (page) => page.getByRole('button', { name: /^(Queue|队列) 3/ }).click(),
  },
  {
    name: 'popout-muted',
    scenario: 'full',
    path: '/pop-out/room/3101',
    everywhere: false,
    sizes: ownWindow,
    prepare: async (page) => {
      await page.getByRole('log').getByText('spoiler: they cut').waitFor()
      await page.keyboard.press('F9')
      await page.getByRole('button', { name: /^Lift/ }).waitFor()
      await page.keyboard.press('a')
    },
  },
  { name: 'popout-fault', scenario: 'fault', path: '/pop-out/room/3101', everywhere: false, sizes: ownWindow },
  {
    name: 'dock',
    scenario: 'full',
    path: studio,
    everywhere: true,
    picture: true,
    prepare: async (page) => {
      const chat = page.getByRole('button', { name: /^(Chat|聊天)$/, expanded: false })
      if (await chat.isVisible()) await chat.click()
      await roomLine(page)
      await playing(page)
    },
  },
  {
    name: 'dock-unlinked',
    scenario: 'full',
    path: '/studio/c2d955100123456789abcdef01234567',
    everywhere: true,
    prepare: async (page) => {
      const chat = page.getByRole('button', { name: /^(Chat|聊天)$/, expanded: false })
      if (await chat.isVisible()) await chat.click()
    },
  },
  {
    name: 'room-statistics',
    scenario: 'full',
    path: '/room',
    everywhere: true,
    prepare: async (page) => {
      await page.getByRole('button', { name: /^(Statistics|统计)$/ }).click()
      await page.locator('.u-over').waitFor()
      await page.getByRole('slider').focus()
      for (let n = 0; n < 4; n++) await page.keyboard.press('ArrowLeft')
      await page.waitForTimeout(1_000)
    },
  },
  {
    name: 'room-statistics-failing',
    scenario: 'failing',
    path: '/room',
    everywhere: false,
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Statistics' }).click()
      await page.getByRole('alert').first().waitFor()
    },
  },
  {
    name: 'room-held',
    scenario: 'full',
    path: '/room',
    everywhere: true,
    prepare: async (page) => {
      await page.getByRole('button', { name: /^(Held|待审) 3$/ }).click()
      await page.locator('[data-id="902"]').focus()
    },
  },
  {
    name: 'room-held-failing',
    scenario: 'failing',
    path: '/room',
    everywhere: false,
    prepare: async (page) => {
      await page.getByRole('button', { name: /^Held/ }).click()
      await page.getByRole('alert').first().waitFor()
    },
  },
  {
    name: 'room-people',
    scenario: 'full',
    path: '/room',
    everywhere: true,
    prepare: async (page) => {
      await page.locator('.tab').nth(1).click()
      await page.getByRole('button', { name: /(What to do with|对) jonas_w/ }).click()
      await page.getByRole('menu').waitFor()
      await page.waitForTimeout(300)
    },
  },
  {
    name: 'room-restricted',
    scenario: 'full',
    path: '/room',
    everywhere: true,
    prepare: async (page) => {
      await page.locator('.tab').nth(2).click()
      await page.getByText('spam_9').first().waitFor()
    },
  },
  {
    name: 'room-unlink',
    scenario: 'full',
    path: '/room',
    everywhere: false,
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Unlink…' }).scrollIntoViewIfNeeded()
      await page.getByRole('button', { name: 'Unlink…' }).click()
      await page.getByRole('dialog').waitFor()
      await page.waitForTimeout(300)
    },
  },
  { name: 'room-first', scenario: 'empty', path: '/room', everywhere: false },
  {
    name: 'room-hosted',
    scenario: 'hosted',
    path: '/room',
    everywhere: true,
    prepare: async (page) => {
      await hosted(page)
      await page.getByRole('log').getByText('spoiler: they cut').waitFor()
      await page.getByRole('button', { name: /^(Set-up and limits|设置与限制)$/ }).click()
    },
  },
  {
    name: 'room-hosted-waiting',
    scenario: 'poor',
    path: '/room',
    everywhere: true,
    prepare: async (page) => {
      await hosted(page)
      await page.getByText(/^(Waiting for the first copy|正在等待此聊天室的第一条抄送)/).waitFor()
    },
  },
  {
    name: 'room-hosted-off',
    scenario: 'hostedFault',
    path: '/room',
    everywhere: true,
    prepare: async (page) => {
      await hosted(page)
      await page.getByRole('button', { name: /^(Start receiver|启动接收器)$/ }).waitFor()
    },
  },
  { name: 'console-empty', scenario: 'full', path: '/console', everywhere: false },
  {
    name: 'console-sent',
    scenario: 'full',
    path: '/console/app/channel/create',
    everywhere: true,
    prepare: async (page) => {
      await page.getByLabel('name', { exact: true }).fill('Evening_show')
      await page.getByRole('button', { name: /^(Send|发送) / }).click()
      await page.getByText('"cid"').waitFor()
    },
  },
  {
    name: 'console-refused',
    scenario: 'failing',
    path: '/console/app/channel/create',
    everywhere: true,
    prepare: async (page) => {
      await page.getByLabel('name', { exact: true }).fill('Evening_show')
      await page.keyboard.press('Control+Enter')
      await page.getByText('611').first().waitFor()
    },
  },
  {
    name: 'console-list',
    scenario: 'full',
    path: '/console/app/video/merge',
    everywhere: true,
    prepare: async (page) => {
      await page.getByRole('button', { name: /^(Send|发送) / }).click()
      await page.waitForTimeout(200)
    },
  },
  { name: 'console-hosted', scenario: 'hosted', path: '/console/app/channellist', everywhere: false, prepare: hosted },
  { name: 'download', scenario: 'download', path: '/channels', everywhere: false },
  { name: 'unauthorized', scenario: 'full', path: '/channels', everywhere: true, signedIn: false },
]

const here = (at: string): string => fileURLToPath(new URL(at, import.meta.url))
const flag = process.argv.indexOf('--page')
const pageFolder = flag > 0 ? (process.argv[flag + 1] ?? '') : here('../../out/renderer')
const only = process.argv[2]?.startsWith('--') ? '' : (process.argv[2] ?? '')
const target = here('../../out/screenshots')
const complaints: string[] = []

async function take(browser: Browser, shot: Shot, theme: 'dark' | 'light', language: 'en' | 'zh', size: { width: number; height: number }): Promise<void> {
  const name = [shot.name, theme, language === 'zh' ? 'zh' : '', size.width === 1440 || size.width === 420 ? '' : String(size.width)]
    .filter((part) => part !== '')
    .join('-')
  const settings: Partial<Settings> = { theme, language }
  const fake = await startFakeCompanion({
    scenario: shot.scenario,
    page: pageFolder,
    settings,
    signedIn: shot.signedIn ?? true,
    picture: shot.picture ?? false,
  })
  const context = await browser.newContext({ viewport: size, colorScheme: theme, locale: language === 'zh' ? 'zh-CN' : 'en-US', reducedMotion: 'reduce' })
  const page = await context.newPage()
  page.on('console', (message) => {
    // A browser reports refused requests by itself; in these shots they are the point.
    const expected = (shot.name.includes('offline') && message.text().startsWith('WebSocket')) || (!shot.picture && message.text().includes('status of 40'))
    if (!expected && (message.type() === 'error' || message.type() === 'warning')) complaints.push(`${name}: console ${message.text()}`)
  })
  page.on('pageerror', (error) => complaints.push(`${name}: ${error.stack ?? error.message}`))
  try {
    await page.goto(`${fake.url}#${shot.path}`)
    await page
      .locator(shot.signedIn === false ? 'h1' : 'h1, [role=status]')
      .first()
      .waitFor()
    await page.waitForTimeout(700)
    await shot.prepare?.(page, fake)
    await page.waitForTimeout(250)
    await page.evaluate(() => document.fonts.ready)
    await writeFile(path.join(target, `${name}.png`), await page.screenshot())
    for (const violation of await axeViolations(page)) complaints.push(`${name}: axe ${violation}`)
  } catch (error) {
    complaints.push(`${name}: ${error instanceof Error ? error.message : String(error)}`)
    await writeFile(path.join(target, `${name}.png`), await page.screenshot())
  } finally {
    await context.close()
    await fake.close()
  }
}

await mkdir(target, { recursive: true })
const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update', '--autoplay-policy=no-user-gesture-required'],
})
for (const shot of shots.filter((each) => each.name.includes(only))) {
  for (const theme of ['dark', 'light'] as const) {
    for (const language of ['en', 'zh'] as const) {
      if (!shot.everywhere && (theme !== 'dark' || language !== 'en')) continue
      await take(browser, shot, theme, language, shot.sizes?.[0] ?? { width: 1440, height: 900 })
    }
  }
  await take(browser, shot, 'dark', 'en', shot.sizes?.[1] ?? { width: 1120, height: 700 })
}
await browser.close()
for (const complaint of complaints) process.stdout.write(`${complaint}\n`)
process.stdout.write(`${complaints.length} complaints\n`)
process.exitCode = complaints.length === 0 ? 0 : 1
