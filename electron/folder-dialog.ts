import { type BrowserWindow, dialog, type OpenDialogOptions } from 'electron'

/** Asks for a folder in the system's dialog, over the window that is open; undefined when none was chosen. The page has no say in where it begins. */
export async function chooseFolder(over: BrowserWindow | undefined): Promise<string | undefined> {
  const options: OpenDialogOptions = { properties: ['openDirectory', 'createDirectory', 'promptToCreate'] }
  const { canceled, filePaths } = await (over && !over.isDestroyed()
    ? dialog.showOpenDialog(over, options)
    : dialog.showOpenDialog(options))
  return canceled ? undefined : filePaths[0]
}
