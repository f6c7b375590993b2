import type { SettingsFile } from '../settings-file/settings-file.ts'
import type { Computer } from '../this-computer/this-computer.ts'
import { forwarded } from './forward.ts'
import type { RpcImplementer } from './implementer.ts'

/** Procedures of this computer. */
export const computerRouter = (
  os: RpcImplementer['computer'],
  { computer, settingsFile }: { readonly computer: Computer; readonly settingsFile: SettingsFile },
) => ({
  ...forwarded('computer', os, computer),
  folderUse: os.folderUse.handler(() => computer.use()),
  showFolder: os.showFolder.handler(() => computer.show()),
  chooseFolder: os.chooseFolder.handler(() => computer.choose()),
  typeFolder: os.typeFolder.handler(({ input }) => computer.type(input.path)),
  moveFolder: os.moveFolder.handler(({ input }) => computer.move(input.handle)),
  removeOldCopy: os.removeOldCopy.handler(({ input }) => computer.removeOld(input.keep)),
  useUsualFolder: os.useUsualFolder.handler(() => computer.useUsual()),
  setPorts: os.setPorts.handler(({ input: { evenOnAir, ...wish } }) => computer.setPorts(wish, evenOnAir)),
  setTimeZone: os.setTimeZone.handler(({ input }) => computer.setTimeZone(input.timeZone, input.evenOnAir)),
  setOutside: os.setOutside.handler(({ input: { evenOnAir, ...wish } }) => computer.setOutside(wish, evenOnAir)),
  removeLeftSecrets: os.removeLeftSecrets.handler(() => computer.removeLeft()),
  exportSettings: os.exportSettings.handler(({ input }) => settingsFile.write(input.layout)),
  readSettings: os.readSettings.handler(({ input }) => settingsFile.read(input.text, input.layout)),
  importSettings: os.importSettings.handler(({ input }) => settingsFile.apply(input.handle)),
  resetSettings: os.resetSettings.handler(() => settingsFile.reset()),
})
