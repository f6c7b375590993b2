import type { SupportBundle } from '../../contract/rpc/index.ts'

const texts: Readonly<
  Record<SupportBundle['parts'][number]['about'], readonly [file: string, text: string, removed: number]>
> = {
  app: [
    'app.json',
    '{\n  "version": "1.4.2",\n  "shell": "electron",\n  "system": { "platform": "linux", "architecture": "x64" }\n}\n',
    0,
  ],
  settings: ['settings.json', '{\n  "theme": "dark",\n  "language": "system"\n}\n', 0],
  profiles: ['profiles.json', '[\n  { "id": "local", "kind": "local", "kept": "keychain" }\n]\n', 0],
  service: ['service.json', '{\n  "phase": "running"\n}\n', 0],
  serviceLog: ['service-log.txt', '{"level":30,"cid":"1f0c","remedy":"key","msg":"a push was refused"}\n', 3],
  appLog: ['app-log.txt', '2026-11-21T20:41:09.114Z OBS connected\n', 0],
  listeners: ['listeners.json', '{\n  "moderators": { "phase": "listening", "port": 8443, "tls": true }\n}\n', 1],
  obs: ['obs.json', '{\n  "phase": "connected",\n  "version": "31.1.2"\n}\n', 0],
  data: [
    'data-folder.json',
    '{\n  "free": 412000000000,\n  "parts": [{ "name": "service/recordings", "files": 38, "bytes": 91400000000 }]\n}\n',
    0,
  ],
  keychain: ['keychain.json', '{\n  "backend": "Secret Service (libsecret)",\n  "kind": "keychain"\n}\n', 0],
  health: ['health.json', '[\n  { "kbps": { "least": 5810.4, "mean": 6012.1, "most": 6240 }, "seconds": 600 }\n]\n', 0],
}

/** What a support bundle would hold. */
export const fakeSupport = (began: number): SupportBundle => ({
  made: began,
  name: 'sidestage-support-20261121-204200',
  parts: Object.entries(texts).map(([about, [file, text, removed]]) => ({
    about: about as keyof typeof texts,
    file,
    text,
    removed,
    cut: false,
  })),
})
