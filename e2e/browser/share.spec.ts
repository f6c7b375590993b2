import { expect, test } from 'playwright/test'
import { startApp, type RunningApp } from '../app.ts'
import { pageClipboard } from '../clipboard.ts'
import { openCompanion } from '../companion-client.ts'
import { startEncoder } from '../encoder.ts'
import { addTarget, copyPushUrl, createChannel, expectAccessible, openPage } from '../page.ts'
import { startFaultyServer } from '../../service/targets/testing/faulty-server.ts'

/** Who can watch, targets, hold and delay, as a streamer sets them in the Studio of the real app. */
test.describe.configure({ mode: 'serial' })
let app: RunningApp
test.beforeAll(async () => {
  app = await startApp()
})
test.afterAll(async () => app?.dispose())

test('the sheet of who can watch lets in by link, passphrase and named link, and turns everything off', async ({
  page,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await openPage(page, app)
  const cid = await createChannel(page, 'Harbour')
  await page.getByRole('button', { name: 'Who can watch' }).click()
  const sheet = page.getByRole('dialog', { name: 'Who can watch' })
  await expect(sheet.getByText('Anyone with the link, this computer only')).toBeVisible()
  await expectAccessible(page)

  await sheet.getByRole('button', { name: 'Copy link', exact: true }).click()
  await expect.poll(() => pageClipboard(page).read()).toContain(`/watch/${cid}`)

  await sheet.getByRole('button', { name: 'With passphrase' }).click()
  await sheet.getByLabel('Passphrase').fill('lamp and harbour')
  await sheet.getByRole('button', { name: 'Set passphrase' }).click()
  await expect(sheet.getByText('With passphrase, this computer only')).toBeVisible()
  await expect(sheet.getByLabel('Passphrase')).toHaveValue('')

  await sheet.getByRole('button', { name: 'Named link…' }).click()
  const form = page.getByRole('dialog', { name: 'New named link' })
  await form.getByLabel('Given to').fill('<b>Mum</b>')
  await form.getByLabel('Viewers at once').fill('3')
  await form.getByRole('button', { name: 'Make link' }).click()
  await expect(form).toHaveCount(0)
  const row = sheet.getByRole('row').filter({ hasText: '<b>Mum</b>' })
  await row.getByRole('button', { name: 'Copy the link of <b>Mum</b>' }).click()
  await expect.poll(() => pageClipboard(page).read()).toMatch(new RegExp(`/watch/${cid}/\\w+\\.[\\w-]{22}$`))
  const address = await pageClipboard(page).read()
  expect((await fetch(address, { redirect: 'manual' })).status).toBe(303)
  await row.getByRole('button', { name: 'Revoke…' }).click()
  await page
    .getByRole('dialog', { name: /Revoke the link/ })
    .getByRole('button', { name: 'Revoke', exact: true })
    .click()
  await row.getByRole('button', { name: 'Undo' }).click()
  await expect(row.getByRole('button', { name: 'Revoke…' })).toBeVisible()

  // By the keyboard: Delete asks for the link of the row, N makes one, Ctrl+L copies the link for everybody.
  await row.getByRole('button', { name: 'Copy the link of <b>Mum</b>' }).focus()
  await page.keyboard.press('Delete')
  await page
    .getByRole('dialog', { name: /Revoke the link/ })
    .getByRole('button', { name: 'Cancel' })
    .click()
  await expect(page.getByRole('dialog', { name: /Revoke the link/ })).toHaveCount(0)
  await page.keyboard.press('n')
  await expect(page.getByRole('dialog', { name: 'New named link' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog', { name: 'New named link' })).toHaveCount(0)
  await sheet.getByRole('button', { name: 'Done' }).focus()
  await page.keyboard.press('Control+l')
  await expect(sheet.getByText('Watch link copied')).toBeVisible()
  await expect.poll(() => pageClipboard(page).read()).toMatch(new RegExp(`/watch/${cid}$`))

  await sheet.getByLabel('Allowed on').fill('radio.example')
  await sheet.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(sheet.getByLabel('Allowed on')).toHaveValue('https://radio.example')
  await sheet.getByLabel('A month, GB').fill('100')
  await sheet.getByRole('button', { name: 'Save limits' }).click()
  await expect(sheet.getByRole('meter')).toBeVisible()
  await sheet.getByLabel('Begins at').fill('2030-05-01T21:00')
  await sheet.getByLabel('Title').fill('Covers')
  await sheet.getByRole('button', { name: 'Tell viewers' }).click()
  await expect(sheet.getByRole('button', { name: 'Say nothing' })).toBeVisible()
  const state = await fetch(address.replace(/\/[^/]+$/, '/state'))
  expect(await state.json()).toMatchObject({ nextTitle: 'Covers' })

  await sheet.getByRole('radio', { name: /behind a proxy or tunnel/ }).click()
  await sheet.getByLabel('Public address').fill('https://radio.example')
  await sheet.getByRole('button', { name: 'Save', exact: true }).first().click()
  // A link is offered once it was measured to work.
  await expect(sheet.getByText('No link yet: name not found', { exact: false }).first()).toBeVisible()
  await sheet.getByRole('button', { name: 'Configuration for Caddy' }).click()
  await expect(sheet.getByText('radio.example {', { exact: false })).toBeVisible()
  await sheet.getByRole('radio', { name: /^The internet, behind/ }).focus()
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Enter')
  await expect(sheet.getByRole('radio', { name: /^The internet, to this computer/ })).toBeChecked()
  await expect(sheet.getByLabel('Certificate file (PEM)')).toBeVisible()
  await sheet.getByRole('radio', { name: /^This computer/ }).click()
  await expect(sheet.getByRole('radio', { name: /^This computer/ })).toBeChecked()

  await sheet.getByRole('button', { name: 'Turn off for everybody' }).click()
  await expect(sheet.getByText('Turned off for everybody')).toBeVisible()
  await sheet.getByRole('button', { name: 'Turn on again' }).click()
  await expect(sheet.getByText('With passphrase, this computer only')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(sheet).toHaveCount(0)
})

test('Ctrl+L in the Studio copies a watch link that works alone, and the palette leads to the sheet', async ({
  page,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await openPage(page, app)
  const cid = await createChannel(page, 'Reached')
  const companion = await openCompanion(app)
  const reach = (call: { reach: string; publicUrl?: string }) =>
    companion.rpc.operations.reach.updateReach({ profileId: 'local', call })
  try {
    await page.keyboard.press('Control+l')
    await expect(page.getByText('Watch link copied').first()).toBeVisible()
    expect(await pageClipboard(page).read()).toMatch(new RegExp(`^http://127\\.0\\.0\\.1:\\d+/watch/${cid}$`))
    await pageClipboard(page).clear()
    await reach({ reach: 'proxy', publicUrl: 'https://radio.invalid/tv' })
    const refused = page.getByText('No link yet: name not found', { exact: false }).first()
    await expect
      .poll(async () => {
        await page.keyboard.press('Control+l')
        return refused.isVisible()
      })
      .toBe(true)
    await pageClipboard(page).clear()
    await companion.rpc.access.update({ profileId: 'local', cid, closed: true })
    await page.keyboard.press('Control+l')
    await expect(page.getByText('Turned off: no link opens anything', { exact: false }).first()).toBeVisible()
    expect(await pageClipboard(page).read()).not.toContain(cid)
    await companion.rpc.access.update({ profileId: 'local', cid, closed: false })
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').getByRole('textbox').or(page.getByRole('combobox')).first().fill('tunnel')
    await page.getByRole('option', { name: /Who can watch/ }).click()
    const sheet = page.getByRole('dialog', { name: 'Who can watch' })
    await expect(sheet.getByRole('radio', { name: /behind a proxy or tunnel.*name not found/s })).toBeVisible()
  } finally {
    await reach({ reach: 'computer', publicUrl: '' })
    companion.close()
  }
})

test('the go-live check leads to the sheet and to the target that need somebody', async ({ page }) => {
  await openPage(page, app)
  await createChannel(page, 'Checked')
  await page.getByRole('button', { name: 'Also send to Twitch, YouTube…' }).click()
  const form = page.getByRole('dialog', { name: 'Add a target' })
  await form.getByRole('button', { name: 'Other', exact: true }).click()
  await form.getByLabel('Name').fill('Campus')
  await form.getByLabel('Server').fill('rtmp://127.0.0.1:9/app')
  await form.getByRole('button', { name: 'Add', exact: true }).click()
  await expect(form).toHaveCount(0)
  const check = page.getByRole('dialog', { name: 'Go-live check' })
  const line = (name: string) => check.locator(`[data-line="${name}"]`)
  const open = () => page.getByRole('button', { name: 'Check everything…' }).click()
  await open()
  await expect(line('share')).toHaveAttribute('data-state', 'ok')
  await expect(line('targets')).toHaveAttribute('data-state', 'warn')
  await expect(line('targets')).toContainText('Campus has no stream key.')
  await expectAccessible(page)
  await line('targets').getByRole('button', { name: 'Open the target…' }).click()
  await expect(page.getByRole('dialog').getByLabel('Stream key', { exact: true })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  // Whatever the check led to: the focus comes back to what opened it.
  await expect(page.getByRole('button', { name: 'Check everything…' })).toBeFocused()

  const companion = await openCompanion(app)
  const reach = (name: string) =>
    companion.rpc.operations.reach.updateReach({ profileId: 'local', call: { reach: name } })
  try {
    await reach('port')
    await open()
    await expect(line('share')).toHaveAttribute('data-state', 'fault')
    await line('share').getByRole('button', { name: 'Who can watch…' }).click()
    const sheet = page.getByRole('dialog', { name: 'Who can watch' })
    await expect(sheet.getByRole('radio', { name: /to this computer.*no certificate/s })).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(sheet).toHaveCount(0)
    await expect(page.getByRole('button', { name: 'Check everything…' })).toBeFocused()
  } finally {
    await reach('computer')
    companion.close()
  }
})

test('a push goes on to a target, is held by hand, and is delayed after a question', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const server = await startFaultyServer()
  await openPage(page, app)
  await createChannel(page, 'Night')
  const pushUrl = await copyPushUrl(page)
  await addTarget(page, server.url, 'key-of-the-campus-1234')
  const encoder = startEncoder(pushUrl, { gopSeconds: 1 })
  try {
    await expect(page.getByText('1 of 1 sending')).toBeVisible()
    expect(await page.content()).not.toContain('key-of-the-campus-1234')
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Hold now' }).click()
    await expect(page.getByRole('button', { name: 'Back to live' })).toBeVisible()
    await page.getByRole('button', { name: 'Back to live' }).click()
    await expect(page.getByRole('button', { name: 'Hold now' })).toBeVisible()

    await page.getByRole('button', { name: '10 s', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delay', exact: true }).click()
    await expect(page.getByText(/^(growing|reached),/)).toBeVisible()
    await page.getByRole('button', { name: 'Dump…' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Discard', exact: true }).click()
    await expect(page.getByText(/were discarded/)).toBeVisible()
    await page.getByRole('button', { name: 'Hold and delay settings' }).click()
    await page.getByRole('dialog', { name: 'Hold and delay' }).getByRole('button', { name: 'Cancel' }).click()

    await page.getByRole('button', { name: 'Stop Campus' }).click()
    await expect(page.getByText('Stopped', { exact: true })).toBeVisible()
  } finally {
    await encoder.stop()
    await server.close()
  }
  const targets = page.getByRole('region', { name: /Targets|Also send to/ })
  await targets.locator('button[aria-haspopup=menu]').first().click()
  await page.getByRole('menuitem', { name: 'Remove…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove target', exact: true }).click()
  await expect(page.getByRole('button', { name: 'Also send to Twitch, YouTube…' })).toBeVisible()
})
