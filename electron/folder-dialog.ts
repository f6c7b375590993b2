import { type BrowserWindow, dialog, type OpenDialogOptions } from 'electron'

/** Shows the system's folder dialog; undefined when it is cancelled. The page cannot set its start folder. */
export async function chooseFolder(over: BrowserWindow | undefined): Promise<string | undefined> {
  const options: OpenDialogOptions = { properties: ['openDirectory', 'createDirectory', 'promptToCreate'] }
  const { canceled, filePaths } = await (over && !over.isDestroyed()
    ? dialog.showOpenDialog(over, options)
    : dialog.showOpenDialog(options))
  return canceled ? undefined : filePaths[0]
}
