import type { SettingsFile } from '../settings-file/settings-file.ts'
import type { Computer } from '../this-computer/this-computer.ts'
import type { RpcImplementer } from './implementer.ts'

/** Procedures of this computer. */
export const computerRouter = (
  os: RpcImplementer['computer'],
  { computer, settingsFile }: { readonly computer: Computer; readonly settingsFile: SettingsFile },
) => ({
  folderUse: os.folderUse.handler(() => computer.use()),
  showFolder: os.showFolder.handler(() => computer.show()),
  chooseFolder: os.chooseFolder.handler(() => computer.choose()),
  typeFolder: os.typeFolder.handler(({ input }) => computer.type(input.path)),
  moveFolder: os.moveFolder.handler(({ input }) => computer.move(input.handle)),
  cancelMove: os.cancelMove.handler(() => computer.cancelMove()),
  removeOldCopy: os.removeOldCopy.handler(({ input }) => computer.removeOld(input.keep)),
  useUsualFolder: os.useUsualFolder.handler(() => computer.useUsual()),
  setPorts: os.setPorts.handler(({ input: { evenOnAir, ...wish } }) => computer.setPorts(wish, evenOnAir)),
  setTimeZone: os.setTimeZone.handler(({ input }) => computer.setTimeZone(input.timeZone, input.evenOnAir)),
  setOutside: os.setOutside.handler(({ input: { evenOnAir, ...wish } }) => computer.setOutside(wish, evenOnAir)),
  secrets: os.secrets.handler(() => computer.secrets()),
  testSecrets: os.testSecrets.handler(() => computer.testSecrets()),
  removeLeftSecrets: os.removeLeftSecrets.handler(() => computer.removeLeft()),
  exportSettings: os.exportSettings.handler(({ input }) => settingsFile.write(input.layout)),
  readSettings: os.readSettings.handler(({ input }) => settingsFile.read(input.text, input.layout)),
  importSettings: os.importSettings.handler(({ input }) => settingsFile.apply(input.handle)),
  resetSettings: os.resetSettings.handler(() => settingsFile.reset()),
})
