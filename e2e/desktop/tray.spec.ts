import { type ElectronApplication, expect, test } from 'playwright/test'
import { startEncoder } from '../encoder.ts'
import { copyPushUrl, createChannel } from '../page.ts'
import { absence, type DesktopDesk, desktopDesk } from './desktop-app.ts'

/** The tray as far as Electron tells of it: the menu that was set last, its words and what its entries do. */
let desk: DesktopDesk

test.beforeEach(() => {
  test.skip(absence !== null, absence ?? '')
  desk = desktopDesk()
})
test.afterEach(async () => {
  if (absence === null) await desk.clear()
})

type Kept = typeof globalThis & { menuOfTheTray?: Electron.Menu }

/** Keeps each menu that is built from now on. */
const follow = (main: ElectronApplication): Promise<void> =>
  main.evaluate(({ Menu }) => {
    const build = Menu.buildFromTemplate.bind(Menu)
    Menu.buildFromTemplate = (template) => ((globalThis as Kept).menuOfTheTray = build(template))
  })
const words = (main: ElectronApplication): Promise<string[]> =>
  main.evaluate(
    () =>
      (globalThis as Kept).menuOfTheTray?.items.filter(({ type }) => type !== 'separator').map(({ label }) => label) ??
      [],
  )
const choose = (main: ElectronApplication, begin: string): Promise<void> =>
  main.evaluate((_electron, text) => {
    const found = (globalThis as Kept).menuOfTheTray?.items.find(({ label }) => label.startsWith(text))
    if (!found) throw new Error(`no entry ${text}`)
    ;(found.click as () => void)()
  }, begin)

test('the tray speaks the language of the settings, records what is on air, and brings the window back', async () => {
  const { page, main, clipboard } = await desk.start()
  test.skip(main === null, 'the fuses of this build let nobody look into its main process')
  if (!main) return
  await follow(main)
  await page.getByRole('link', { name: 'Settings' }).first().click()
  await page.getByRole('link', { name: 'Appearance' }).click()
  await page.getByRole('radio', { name: '简体中文' }).click()
  await expect.poll(() => words(main)).toEqual(['空闲', '打开 Sidestage', '退出'])
  await page.getByRole('radio', { name: 'English' }).click()
  await expect.poll(() => words(main)).toEqual(['Idle', 'Open Sidestage', 'Quit'])

  await createChannel(page, 'Tray_show')
  const encoder = startEncoder(await copyPushUrl(page, clipboard))
  try {
    await expect.poll(() => words(main)).toEqual(['ON AIR · Tray_show', 'Open Sidestage', 'Record “Tray_show”', 'Quit'])
    await choose(main, 'Record')
    await expect(page.getByRole('banner')).toContainText(/Rec/i)
    await expect.poll(() => words(main)).toContain('Stop recording “Tray_show”')
    // On air, closing the window leaves the app in the tray.
    const isVisible = () => main.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.isVisible())
    await main.evaluate(({ BrowserWindow }) => {
      BrowserWindow.getAllWindows()[0]?.close()
    })
    await expect.poll(isVisible).toBe(false)
    await choose(main, 'Open')
    await expect.poll(isVisible).toBe(true)
  } finally {
    await encoder.stop('SIGKILL')
  }
  await expect.poll(() => words(main)).toEqual(['Idle', 'Open Sidestage', 'Quit'])
  const ended = new Promise((resolve) => {
    main.process().once('exit', resolve)
  })
  await choose(main, 'Quit')
  await ended
})
