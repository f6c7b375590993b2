import { beforeEach, expect, it, vi } from 'vitest'

vi.mock('electron', () => import('./testing/electron-double.ts'))
const { BrowserWindow, desk } = await import('./testing/electron-double.ts')
const { chooseFolder } = await import('./folder-dialog.ts')

beforeEach(() => {
  desk.folderQuestions = []
  desk.folder = undefined
})

it('answers with the folder that the person chose, or with none, and lets them make one', async () => {
  expect(await chooseFolder(undefined)).toBeUndefined()
  desk.folder = '/media/ana/Stage 2'
  expect(await chooseFolder(undefined)).toBe('/media/ana/Stage 2')
  expect(desk.folderQuestions).toEqual([
    { properties: ['openDirectory', 'createDirectory', 'promptToCreate'] },
    { properties: ['openDirectory', 'createDirectory', 'promptToCreate'] },
  ])
})

it('asks over the window that is open, and without one when it is gone', async () => {
  desk.folder = '/x'
  const window = new BrowserWindow({}) as unknown as Parameters<typeof chooseFolder>[0]
  expect(await chooseFolder(window)).toBe('/x')
  ;(window as unknown as { destroy(): void }).destroy()
  expect(await chooseFolder(window)).toBe('/x')
})
