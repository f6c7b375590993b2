import type { Words } from '../../format/languages.ts'

/** Words of the data folder. */
export const folderWords = {
  folder: {
    title: { en: 'Data folder', zh: '数据文件夹' },
    lead: {
      en: 'Recordings, databases and uploaded files of this computer. Profiles and settings stay with the app.',
      zh: '本机的录像、数据库和上传的文件。配置和设置留在应用处。',
    },
    path: { en: 'Folder', zh: '文件夹' },
    named: {
      en: 'Named with --data when Sidestage was started. To use another folder, start it with another --data.',
      zh: '启动 Sidestage 时由 --data 指定。要换文件夹，请用另一个 --data 启动。',
    },
    away: {
      en: 'This folder is not there now. Connect its disk, then try again. Nothing new is begun in its place.',
      zh: '此文件夹现在不在。请连接磁盘后重试。不会在原处另建新的数据。',
    },
    usual: { en: 'Use the usual folder…', zh: '使用默认文件夹…' },
    usualTitle: { en: 'Go back to {path}?', zh: '改回 {path}？' },
    usualBody: {
      en: 'The service starts with what lies there, or anew when nothing does. The data in {away} stay as they are and are no longer looked for.',
      zh: '服务将使用那里已有的数据；没有则重新开始。{away} 中的数据保持原样，不再查找。',
    },
    usualNow: { en: 'Use it', zh: '使用' },
    kinds: {
      recordings: { en: 'Recordings', zh: '录像' },
      databases: { en: 'Databases', zh: '数据库' },
      files: { en: 'Uploaded files', zh: '上传的文件' },
      other: { en: 'Other', zh: '其他' },
    },
    amount: { en: '{bytes}, {n} file | {bytes}, {n} files', zh: '{bytes}，{n} 个文件' },
    free: { en: '{free} of {total} free on this disk', zh: '此磁盘剩余 {free} / {total}' },
    measure: { en: 'Space in the data folder', zh: '数据文件夹占用的空间' },
    open: { en: 'Open folder', zh: '打开文件夹' },
    move: { en: 'Move…', zh: '移动…' },
    chooseTitle: { en: 'Move the data folder', zh: '移动数据文件夹' },
    chooseBody: {
      en: 'Choose a folder on a disk of this computer. Everything is copied, read back and compared; only then is the new folder used.',
      zh: '请选择本机磁盘上的文件夹。所有数据会先复制、再读回比对，全部一致后才启用新文件夹。',
    },
    choose: { en: 'Choose folder…', zh: '选择文件夹…' },
    typed: { en: 'New folder', zh: '新文件夹' },
    typedHelp: {
      en: 'The whole path. In a folder with other files, Sidestage makes one of its own.',
      zh: '完整路径。若其中已有其他文件，Sidestage 会在里面新建自己的文件夹。',
    },
    typedFault: { en: 'Enter the path of a folder.', zh: '请输入文件夹的路径。' },
    look: { en: 'Check', zh: '检查' },
    plan: {
      en: '{need} are copied to {path}. {free} are free there.',
      zh: '将复制 {need} 到 {path}。那里剩余 {free}。',
    },
    while: {
      en: 'Meanwhile the service is stopped: nobody can push, watch or write.',
      zh: '移动期间服务停止：无法推流、观看或发言。',
    },
    begin: { en: 'Move now', zh: '开始移动' },
    fault: {
      named: {
        en: 'The folder was named with --data when Sidestage was started.',
        zh: '此文件夹在启动 Sidestage 时由 --data 指定。',
      },
      relative: { en: 'Enter the whole path, from the root of the disk.', zh: '请填写从磁盘根目录开始的完整路径。' },
      same: { en: 'The data are in this folder already.', zh: '数据已在此文件夹中。' },
      inside: {
        en: 'This folder lies within the present data folder. Choose one beside it.',
        zh: '此文件夹在现有数据文件夹之内。请选择其外的文件夹。',
      },
      around: {
        en: 'The present data folder lies within this one. Choose another.',
        zh: '现有数据文件夹在此文件夹之内。请选择其他文件夹。',
      },
      app: { en: 'This folder belongs to the app. Choose one elsewhere.', zh: '此文件夹属于应用本身。请选择别处。' },
      data: {
        en: 'Data of Sidestage lie in this folder already. Remove them first, or choose an empty folder.',
        zh: '此文件夹中已有 Sidestage 的数据。请先移除，或选择空文件夹。',
      },
      file: { en: 'This is not a folder.', zh: '这不是文件夹。' },
      occupied: {
        en: 'This folder and the one named Sidestage in it hold other files. Choose an empty folder.',
        zh: '此文件夹以及其中名为 Sidestage 的文件夹里有其他文件。请选择空文件夹。',
      },
      network: {
        en: 'This is a network drive. A database can be damaged there; choose a disk of this computer.',
        zh: '这是网络驱动器，数据库在上面可能损坏。请选择本机磁盘。',
      },
      name: {
        en: 'Windows cannot keep the name “{detail}”. Choose a folder with another name.',
        zh: 'Windows 无法保存名称“{detail}”。请选择其他名称的文件夹。',
      },
      link: {
        en: 'Among the data stands a link, which cannot be moved: {detail}',
        zh: '数据中有一个链接，无法移动：{detail}',
      },
      refused: {
        en: 'The system does not let Sidestage write there. Choose another folder or change its rights.',
        zh: '系统不允许 Sidestage 写入。请选择其他文件夹，或更改其权限。',
      },
      space: {
        en: 'There is too little space: {need} are needed and {spare} must stay free, {free} are free.',
        zh: '空间不足：需要 {need}，并须保留 {spare}，现剩余 {free}。',
      },
    },
    refused: {
      onAir: {
        en: 'A channel is on air. Move the data when it has ended.',
        zh: '有频道正在直播。请在直播结束后移动。',
      },
      recording: {
        en: 'A recording is being written. Move the data when it has ended.',
        zh: '正在录制。请在录制结束后移动。',
      },
      merging: {
        en: 'Recordings are being merged. Move the data when that is done.',
        zh: '正在合并录像。请在完成后移动。',
      },
      moving: { en: 'The data are being moved already.', zh: '数据正在移动。' },
      old: {
        en: 'First say what becomes of the copy that the last move left.',
        zh: '请先决定如何处理上次移动留下的副本。',
      },
      unknown: { en: 'The folder must be checked again.', zh: '请重新检查该文件夹。' },
    },
    phase: {
      stopping: { en: 'Stopping the service', zh: '正在停止服务' },
      copying: { en: 'Copying', zh: '正在复制' },
      checking: { en: 'Reading back and comparing', zh: '正在读回比对' },
      switching: { en: 'Switching over', zh: '正在切换' },
    },
    progress: { en: '{done} of {total}', zh: '{done} / {total}' },
    to: { en: 'to {path}', zh: '到 {path}' },
    cancel: { en: 'Cancel the move', zh: '取消移动' },
    outcome: {
      moved: { en: 'The data are in {path} now.', zh: '数据现在位于 {path}。' },
      cancelled: {
        en: 'The move was cancelled. The data are where they were, and what was copied is removed.',
        zh: '移动已取消。数据仍在原处，已复制的部分已清除。',
      },
      interrupted: {
        en: 'Sidestage ended in the middle of a move to {path}. The data are where they were, and what was copied is removed.',
        zh: '移动到 {path} 的途中 Sidestage 退出。数据仍在原处，已复制的部分已清除。',
      },
      failed: {
        en: 'The data were not moved to {path}. They are where they were.',
        zh: '数据没有移动到 {path}，仍在原处。',
      },
    },
    old: {
      en: 'The copy from before the move of {time} is still in {path}.',
      zh: '{time} 移动之前的副本仍在 {path}。',
    },
    removeOld: { en: 'Remove old copy', zh: '移除旧副本' },
    keepOld: { en: 'Keep it', zh: '保留' },
    oldTitle: { en: 'Remove the old copy?', zh: '移除旧副本？' },
    oldBody: {
      en: 'Recordings, databases and files in {path} are deleted. The ones in use, in {now}, stay.',
      zh: '{path} 中的录像、数据库和文件会被删除。正在使用的 {now} 中的数据保留。',
    },
  },
} satisfies Words
