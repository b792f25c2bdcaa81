package moderation

import (
	"context"
	"encoding/json"
	"time"

	"github.com/spf13/cobra"

	"svc/client"
	"svc/client/action"
	"svc/client/api"
	"svc/client/safe"
	"svc/cmd/svcctl/cli"
	"svc/cmd/svcctl/cli/output"
	"svc/cmd/svcctl/commands/names"
)

var chatShape = output.Shape[api.AdminChat]{
	Plural: "chats",
	Name:   func(c api.AdminChat) string { return "chat/" + c.ID },
	Raw:    func(c api.AdminChat) json.RawMessage { return c.Raw },
	Columns: []output.Column[api.AdminChat]{
		output.Text("ID", func(c api.AdminChat) string { return c.ID }),
		output.Time("UPDATED", func(c api.AdminChat) time.Time { return c.UpdatedAt.Time }),
		output.Text("SENDER", func(c api.AdminChat) string { return c.Sender.Acct }),
		output.Text("RECEIVER", func(c api.AdminChat) string { return c.Receiver.Acct }),
		output.Minor(output.Int("UNREAD", func(c api.AdminChat) int { return c.Unread })),
		output.Text("LAST", func(c api.AdminChat) string {
			if c.LastMessage == nil {
				return ""
			}
			return messageText(*c.LastMessage)
		}),
	},
}

var messageShape = output.Shape[api.ChatMessage]{
	Plural: "messages",
	Name:   func(m api.ChatMessage) string { return "message/" + m.ID },
	Raw:    func(m api.ChatMessage) json.RawMessage { return m.Raw },
	Columns: []output.Column[api.ChatMessage]{
		output.Text("ID", func(m api.ChatMessage) string { return m.ID }),
		output.Time("CREATED", func(m api.ChatMessage) time.Time { return m.CreatedAt.Time }),
		output.Minor(output.Text("ACCOUNT ID", func(m api.ChatMessage) string { return m.AccountID })),
		output.Text("FILE", func(m api.ChatMessage) string {
			if m.Attachment == nil {
				return ""
			}
			return m.Attachment.Type
		}),
		output.Text("TEXT", messageText),
	},
}

func messageText(m api.ChatMessage) string {
	if m.Content == nil {
		return ""
	}
	return safe.HTML(*m.Content).String()
}

func chatCommand(a *cli.App) *cobra.Command {
	return cli.Examples(cli.Noun("chat", "Work on what people write to each other outside of statuses",
		chatListCommand(a), chatGetCommand(a), chatMessagesCommand(a), chatDeleteMessageCommand(a)),
		"chat list kim",
		"chat get 9xC1",
		"chat messages 9xC1 --all",
		"chat delete-message 9xC1 9xM4",
	)
}

func chatListCommand(a *cli.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:               "list USER",
		Short:             "List a local user's chats, the newest first",
		Args:              cli.ExactArgs(1, "one user"),
		ValidArgsFunction: names.CompleteUsers(a),
	}
	return cli.ListCommand(a, cmd, chatShape, func(ctx context.Context, conn *cli.Connection, args []string) (cli.Listed[api.AdminChat], error) {
		user, err := findUser(ctx, conn, args[0])
		return cli.Listed[api.AdminChat]{Listing: client.Whole(func(ctx context.Context) ([]api.AdminChat, error) {
			return conn.Admin.Chats.OfUser(ctx, user.AccountID)
		})}, err
	})
}

func chatGetCommand(a *cli.App) *cobra.Command {
	return cli.GetCommand(a, "chat", chatShape, nil, func(ctx context.Context, conn *cli.Connection, t action.Target) (*api.AdminChat, error) {
		return conn.Admin.Chats.Get(ctx, t.Name)
	})
}

func chatMessagesCommand(a *cli.App) *cobra.Command {
	var query api.PageQuery
	cmd := &cobra.Command{
		Use:   "messages CHAT",
		Short: "List a chat's messages, the newest first",
		Args:  cli.ExactArgs(1, "one chat"),
		PreRunE: func(cmd *cobra.Command, args []string) error {
			if query.MinID != "" && cmd.Flags().Changed("all") {
				return cli.Usagef("--all goes from new to old, which --min-id does not; use --since-id")
			}
			_, err := action.ParseTarget("chat", args[0])
			return err
		},
	}
	f := cmd.Flags()
	f.StringVar(&query.MaxID, "max-id", "", "only messages older than `ID`")
	f.StringVar(&query.SinceID, "since-id", "", "only messages newer than `ID`")
	f.StringVar(&query.MinID, "min-id", "", "the oldest messages that are newer than `ID`")
	return cli.ListCommand(a, cmd, messageShape, func(_ context.Context, conn *cli.Connection, args []string) (cli.Listed[api.ChatMessage], error) {
		t, err := action.ParseTarget("chat", args[0])
		return cli.Listed[api.ChatMessage]{Listing: conn.Admin.Chats.Messages(t.Name, query), About: t.String()}, err
	})
}

func chatDeleteMessageCommand(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "delete-message CHAT MESSAGE...",
		Short: "Delete messages of a chat, on both sides",
		Args:  cli.NeedArgs(2, "a chat and the id of a message"),
		RunE: func(cmd *cobra.Command, args []string) error {
			messages, err := a.Words(action.ChatMessageDelete, "message", args[1:])
			if err != nil {
				return err
			}
			return a.ActParts(cmd.Context(), action.ChatMessageDelete, args[0], "message", messages)
		},
	}
}
