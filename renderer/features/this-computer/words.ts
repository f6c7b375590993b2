import type { Words } from '../../format/languages.ts'
import { folderWords } from './words-folder.ts'
import { settingsFileWords } from './words-settings-file.ts'

/** Words of the settings of this computer. */
export const computerWords = {
  computer: {
    section: { en: 'Data and ports', zh: '数据与端口' },
    lead: {
      en: 'Where the service of this computer keeps its data and listens, and what of Sidestage can be taken elsewhere.',
      zh: '本机服务的数据位置、监听端口，以及可以带走的设置。',
    },
    ...folderWords,
    ports: {
      title: { en: 'Ports', zh: '端口' },
      lead: {
        en: 'Where the service listens on this computer. When a port is taken, the next free one is used.',
        zh: '服务在本机监听的位置。端口被占用时，使用下一个空闲端口。',
      },
      listener: {
        api: { en: 'API', zh: 'API' },
        media: { en: 'Media', zh: '媒体' },
        rtmp: { en: 'RTMP', zh: 'RTMP' },
      },
      what: {
        api: { en: 'Signed calls, recordings', zh: '签名调用、录像' },
        media: { en: 'HTTP-FLV, HLS, watch page, client link', zh: 'HTTP-FLV、HLS、观看页、客户端连接' },
        rtmp: { en: 'What encoders push to', zh: '编码器的推流目标' },
      },
      automatic: { en: 'Automatic ({port})', zh: '自动（{port}）' },
      anyFree: { en: 'Any free', zh: '任意空闲端口' },
      now: { en: 'Now {port}', zh: '当前 {port}' },
      down: { en: 'Not running', zh: '没有运行' },
      named: {
        en: 'Named with --{name}-port when Sidestage was started, which wins.',
        zh: '启动 Sidestage 时由 --{name}-port 指定，以其为准。',
      },
      note: {
        en: '{wanted} is taken by {holder}, so {used} is used.',
        zh: '{wanted} 被 {holder} 占用，因此使用 {used}。',
      },
      noteUnknown: {
        en: '{wanted} is taken by another program, so {used} is used.',
        zh: '{wanted} 被其他程序占用，因此使用 {used}。',
      },
      invalid: { en: 'Enter a port from 1 to 65,535, or leave it empty.', zh: '请填写 1 到 65,535 的端口，或留空。' },
      save: { en: 'Save and restart', zh: '保存并重启' },
      saved: { en: 'The service listens on these ports.', zh: '服务已在这些端口监听。' },
      warning: {
        en: 'The service restarts. Encoders that push to the old port must be given the new address.',
        zh: '服务会重启。推流到旧端口的编码器需要换成新地址。',
      },
      ask: { en: 'Restart the service now?', zh: '现在重启服务？' },
      askBody: { en: 'The ports change with a restart.', zh: '更改端口需要重启。' },
      onAir: {
        en: 'A channel is on air: its push is cut, and the encoder must connect again.',
        zh: '有频道正在直播：推流会中断，编码器需要重新连接。',
      },
      confirm: { en: 'Restart', zh: '重启' },
      elsewhere: { en: 'Other listeners of this app', zh: '应用的其他监听端口' },
      callbacks: { en: 'Recording callbacks', zh: '录制回调' },
    },
    zone: {
      title: { en: 'Time zone', zh: '时区' },
      lead: {
        en: 'For the clock, every time that is shown, names of recordings and hours and days of statistics.',
        zh: '用于时钟、所有显示的时间、录像名，以及统计的小时和日期。',
      },
      label: { en: 'Zone', zh: '时区' },
      system: { en: 'As the system ({zone})', zh: '跟随系统（{zone}）' },
      now: { en: 'It is {time} there, {zone}.', zh: '那里现在是 {time}，{zone}。' },
      change: { en: 'On {date} the clocks go to {zone}.', zh: '{date} 起时钟改为 {zone}。' },
      steady: { en: 'The clocks are not changed there within a year.', zh: '一年内那里的时钟不变。' },
      names: {
        en: 'Names that exist already stay. Statistics counted so far keep their hours. Recordings of a hosted service are named by that service, often in UTC+8.',
        zh: '已有的文件名不变；已统计的数据保持原来的小时。托管服务的录像由该服务命名，通常为 UTC+8。',
      },
      askBody: { en: 'The time zone changes with a restart.', zh: '更改时区需要重启。' },
    },
    outcome: {
      done: { en: 'Saved.', zh: '已保存。' },
      onAir: { en: 'A channel is on air.', zh: '有频道正在直播。' },
      moving: {
        en: 'The data folder is being moved. Try again when that is done.',
        zh: '数据文件夹正在移动。请在完成后重试。',
      },
      taken: {
        callbacks: {
          en: 'This port has the receiver of recording callbacks of this app. Choose another.',
          zh: '此端口由本应用的录制回调接收器使用。请换一个。',
        },
        copies: {
          en: 'This port has the receiver of message copies of this app. Choose another.',
          zh: '此端口由本应用的消息抄送接收器使用。请换一个。',
        },
        moderators: {
          en: 'This port has the listener of moderators of this app. Choose another.',
          zh: '此端口由本应用的房管监听使用。请换一个。',
        },
        other: {
          en: 'Another program listens on this port. Choose another, or end that program.',
          zh: '另一个程序正在监听此端口。请换一个，或结束该程序。',
        },
      },
      refused: {
        en: 'The system does not give this port to Sidestage. Choose one above 1,023.',
        zh: '系统不允许 Sidestage 使用此端口。请选择大于 1,023 的端口。',
      },
      twice: { en: 'Two listeners cannot have the same port.', zh: '两个监听不能使用同一端口。' },
      named: { en: 'It is named on the command line.', zh: '已在命令行中指定。' },
      unknown: { en: 'The system does not know this time zone.', zh: '系统不认识此时区。' },
      notRunning: {
        en: 'It is kept, but the service did not start in time. Look at its log.',
        zh: '已保存，但服务没有按时启动。请查看日志。',
      },
    },
    secrets: {
      title: { en: 'Secrets', zh: '密钥保管' },
      lead: {
        en: 'AppSecrets, signing keys and tokens. Their values are never shown here.',
        zh: 'AppSecret、签名密钥和令牌。此处从不显示其内容。',
      },
      store: {
        keychain: { en: 'Keychain of macOS', zh: 'macOS 钥匙串' },
        credentialManager: { en: 'Credential Manager of Windows', zh: 'Windows 凭据管理器' },
        secretService: { en: 'Secret Service of the desktop', zh: '桌面的 Secret Service' },
      },
      session: { en: 'In memory until Sidestage ends', zh: '仅在内存中，退出后失效' },
      why: {
        noBus: {
          en: 'This session has no D-Bus, so there is no Secret Service. Start Sidestage from a desktop session.',
          zh: '此会话没有 D-Bus，因此没有 Secret Service。请从桌面会话启动 Sidestage。',
        },
        unavailable: {
          en: 'No Secret Service answers, or its library is missing. Install and start one, for example gnome-keyring or KWallet.',
          zh: 'Secret Service 没有应答，或缺少其程序库。请安装并启动，例如 gnome-keyring 或 KWallet。',
        },
        locked: {
          en: 'The keychain is locked. Unlock it, for example by signing in to the desktop with your password.',
          zh: '钥匙串已锁定。请解锁，例如用密码登录桌面。',
        },
        denied: {
          en: 'The keychain refused. Allow Sidestage in its settings.',
          zh: '钥匙串拒绝了访问。请在其设置中允许 Sidestage。',
        },
        chosen: { en: 'It was started so.', zh: '启动时如此选择。' },
      },
      test: { en: 'Test it', zh: '测试' },
      works: {
        en: 'Works: an entry was written, read back and deleted in {ms} ms.',
        zh: '可用：写入、读回并删除一个条目，用时 {ms} 毫秒。',
      },
      worksNow: {
        en: 'The keychain works now. Restart Sidestage to use it; secrets entered in this session must be entered again.',
        zh: '钥匙串现在可用。重启 Sidestage 后启用；本次会话中填写的密钥需要重新填写。',
      },
      fails: { en: 'It does not work.', zh: '不可用。' },
      kinds: {
        own: { en: 'Keys of this computer', zh: '本机的密钥' },
        profiles: { en: 'AppSecrets of hosted profiles', zh: '托管配置的 AppSecret' },
        signingKeys: { en: 'Signing keys of callbacks', zh: '回调的签名密钥' },
        tokens: { en: 'Tokens of accounts', zh: '账号的令牌' },
        targets: { en: 'Stream keys of targets', zh: '转推目标的推流密钥' },
        obs: { en: 'Password of OBS', zh: 'OBS 的密码' },
        certificate: { en: 'Key of the certificate', zh: '证书的私钥' },
        joined: { en: 'Rooms on other computers', zh: '其他电脑上的聊天室' },
        left: { en: 'Of profiles that are gone', zh: '已移除的配置留下的' },
        others: { en: 'Of other data folders', zh: '其他数据文件夹的' },
      },
      entries: { en: 'Entries of this app', zh: '本应用的条目' },
      none: { en: 'There are no entries.', zh: '没有条目。' },
      silent: { en: 'The keychain does not tell its entries now.', zh: '钥匙串现在不提供条目列表。' },
      removeLeft: { en: 'Remove', zh: '移除' },
    },
    aside: {
      title: { en: 'Set aside', zh: '已隔离' },
      lead: {
        en: 'What Sidestage does not know or cannot read is not deleted. It is kept here for 30 days.',
        zh: 'Sidestage 不认识或无法读取的内容不会删除，会在这里保留 30 天。',
      },
      none: { en: 'Nothing was set aside.', zh: '没有被隔离的内容。' },
      down: {
        en: 'The service does not run. What was set aside in its data folder is listed when it runs again.',
        zh: '服务未运行。其数据文件夹中被隔离的内容在服务恢复后列出。',
      },
      where: {
        app: { en: 'Folder of the app', zh: '应用文件夹' },
        service: { en: 'Data folder', zh: '数据文件夹' },
      },
      reason: {
        unknown: { en: 'The database does not know it.', zh: '数据库中没有它的记录。' },
        unfinished: { en: 'Half of an upload or of a recording.', zh: '未完成的上传或录像。' },
        damaged: { en: 'Its content is damaged.', zh: '内容已损坏。' },
        newer: { en: 'A newer Sidestage made it.', zh: '由更新版本的 Sidestage 写成。' },
        notAFile: { en: 'It was in the place of something else.', zh: '它占了别的内容的位置。' },
        unreadable: { en: 'The system did not let Sidestage read it.', zh: '系统不允许 Sidestage 读取。' },
        missing: {
          en: 'It was there before and is gone. A new one was begun.',
          zh: '原来在，现在不见了。已新建一个。',
        },
        replaced: { en: 'Another one was put in its place.', zh: '已有另一个代替它。' },
      },
      facts: { en: '{where} · set aside {at} · kept until {until}', zh: '{where} · {at} 隔离 · 保留到 {until}' },
      more: { en: 'and {n} more', zh: '及另外 {n} 个' },
      restore: { en: 'Restore', zh: '恢复' },
      restoreNamed: { en: 'Restore {name}', zh: '恢复 {name}' },
      removeNamed: { en: 'Delete {name}…', zh: '删除 {name}…' },
      restored: { en: '{n} file restored. | {n} files restored.', zh: '已恢复 {n} 个文件。' },
      taken: {
        en: 'Still set aside, because something is in its place or its database was not restored: {paths}',
        zh: '以下仍在隔离中，原位置已有内容，或其数据库未恢复：{paths}',
      },
      afterRestart: { en: 'Restart Sidestage to use it.', zh: '重启 Sidestage 后生效。' },
      showAll: { en: 'Show all {n}', zh: '显示全部 {n} 项' },
      beyond: {
        en: '{n} more entry is in the folder quarantine. | {n} more entries are in the folder quarantine.',
        zh: '另有 {n} 项在 quarantine 文件夹中。',
      },
      removeTitle: { en: 'Delete what was set aside?', zh: '删除隔离的内容？' },
      removeBody: {
        en: '{name}: {n} file, {size}. It cannot be brought back. | {name}: {n} files, {size}. They cannot be brought back.',
        zh: '{name}：{n} 个文件，{size}。删除后无法恢复。',
      },
    },
    ...settingsFileWords,
  },
} satisfies Words
